import { setTimeout as delay } from 'node:timers/promises';
import { processorSeconds } from '../measures/processor-seconds';
import type { ClosedLoop, ClosedLoopFigures } from './closed-loop';
import { type Connection, openConnection } from './connection';
import { requestText } from './load-request';
import { endWith } from './start-load';
import { newTallies } from './tally';

/** Under the backlog of a listening socket. */
const openedAtOnce = 250;

const run = async (load: ClosedLoop): Promise<ClosedLoopFigures> => {
  const address = new URL(load.address);
  const texts = load.requests.map(requestText);
  const answers = newTallies();
  let sent = 0;
  let cutOff = 0;
  let isCounted = false;
  let isOver = false;

  const open = (onOpen?: () => void): void => {
    let asked = 0;
    const ask = (connection: Connection): void => {
      asked = performance.now();
      connection.send(texts[sent % texts.length] ?? '');
      sent += 1;
    };
    const connection = openConnection(address, {
      onOpen: () => {
        ask(connection);
        onOpen?.();
      },
      onResponse: (status) => {
        if (isOver) return;
        if (isCounted) answers.record(status, performance.now() - asked);
        ask(connection);
      },
      onClose: () => {
        if (isOver) return;
        cutOff += 1;
        open();
      },
    });
  };

  for (let opened = 0; opened < load.connections; opened += openedAtOnce) {
    const some = Math.min(openedAtOnce, load.connections - opened);
    await Promise.all(Array.from({ length: some }, () => new Promise<void>(open)));
  }
  await delay(load.settle * 1_000);
  const before = processorSeconds(load.pid);
  const began = performance.now();
  isCounted = true;
  await delay(load.seconds * 1_000);
  isOver = true;
  const seconds = (performance.now() - began) / 1_000;
  const byStatus = answers.read();
  return {
    byStatus,
    cutOff,
    answersPerSecond: Object.fromEntries(
      Object.entries(byStatus).map(([status, { count }]) => [status, count / seconds]),
    ),
    processorSeconds: processorSeconds(load.pid) - before,
  };
};

process.once('message', (load: ClosedLoop) => {
  endWith(run(load));
});
