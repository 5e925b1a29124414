import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../percentile';
import { processorSeconds } from '../processor-seconds';
import type { Load, LoadFigures, LoadRequest } from './closed-loop';

const headEnd = '\r\n\r\n';

const bytesOf = ({ target, key, body }: LoadRequest): string =>
  [
    `${body === undefined ? 'GET' : 'POST'} ${target} HTTP/1.1`,
    'Host: animals',
    `Authorization: Bearer ${key}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    '',
    body ?? '',
  ].join('\r\n');

const isWhole = (answer: string): boolean => {
  const end = answer.indexOf(headEnd);
  const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(answer.slice(0, end + 2))?.[1]);
  return end >= 0 && answer.length >= end + headEnd.length + length;
};

/** In milliseconds; 0 where an answer doesn't say when to come again. */
const waitOf = (answer: string): number =>
  1_000 * Number(/\r\nretry-after: (\d+)\r\n/i.exec(answer)?.[1] ?? 0);

const run = async (load: Load): Promise<LoadFigures> => {
  const { hostname, port } = new URL(load.address);
  const texts = load.requests.map(bytesOf);
  const times = new Map<string, Array<number>>();
  let unexplained = 0;
  let cutOff = 0;
  let sent = 0;
  let isCounted = false;
  let isOver = false;

  const count = (status: string, milliseconds: number, wait: number): void => {
    if (!isCounted) return;
    if (status === '503' && wait === 0) unexplained += 1;
    const sofar = times.get(status);
    if (sofar === undefined) times.set(status, [milliseconds]);
    else sofar.push(milliseconds);
  };

  const open = (): void => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let answer = '';
    let began = 0;
    const ask = (wait: number): void => {
      began = performance.now() + wait;
      socket.write(texts[sent % texts.length] ?? '');
      sent += 1;
    };
    socket.setEncoding('latin1');
    socket.once('connect', () => {
      ask(0);
    });
    socket.on('error', () => undefined);
    socket.on('data', (chunk: string) => {
      answer += chunk;
      if (isOver || !isWhole(answer)) return;
      const wait = waitOf(answer);
      count(answer.slice(9, 12), Math.max(0, performance.now() - began), wait);
      answer = '';
      ask(wait);
    });
    socket.once('close', () => {
      if (isOver) return;
      cutOff += 1;
      open();
    });
  };

  for (let opened = 0; opened < load.connections; opened += 1) open();
  await delay(load.settle * 1_000);
  const before = processorSeconds(load.pid);
  isCounted = true;
  await delay(load.seconds * 1_000);
  isOver = true;
  return {
    byStatus: Object.fromEntries(
      [...times].map(([status, each]) => [status, { count: each.length, p99: percentile(each, 0.99) }]),
    ),
    unexplained,
    cutOff,
    processorSeconds: processorSeconds(load.pid) - before,
  };
};

process.once('message', (load: Load) => {
  void run(load).then((figures) => {
    process.send?.(figures, () => {
      process.exit();
    });
  });
});
