import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type SqlStore, sqlStores } from '../../support/databases/databases';
import { eventually } from '../../support/eventually';
import { call, environmentOf, listPets, owner } from '../../support/http/client';
import { pidOf } from '../../support/processes/system';
import { readMetrics } from '../../support/service/read-metrics';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { connectTo, goodClient, untilClosed } from '../support/clients';
import { collecting, heapInUse } from '../support/measures';

const caller = { key: owner };
const head = `Host: animals\r\nAuthorization: Bearer ${owner}`;

const postHead = (length: number): string =>
  `POST /v1/pets HTTP/1.1\r\n${head}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

const pipeliningClients = 5;
const pipelined = 4;

const create = (name: string): string => {
  const body = `{"name":"${name}","categoryId":7}`;
  return `${postHead(body.length)}${body}`;
};

const inFlight = async (service: ServiceProcess): Promise<number> => {
  const samples = await readMetrics(service);
  return [...samples]
    .filter(([name]) => name.startsWith('http_server_active_requests'))
    .reduce((sum, [, value]) => sum + value, 0);
};

/**
 * Waits until the service has received everything sent before. The service handles new connections first and then
 * bytes, each in order of arrival.
 */
const untilSeen = async (address: string): Promise<void> => {
  await call(`${address}/livez`);
  await call(`${address}/livez`);
};

const abandonPipelines = async ({ databaseUrl, holdWriters }: SqlStore): Promise<void> => {
  const all = pipeliningClients * pipelined;
  const service = await startService({
    ...environmentOf(databaseUrl),
    LOG_LEVEL: 'info',
    ADMIN_PORT: '0',
  });
  const { address } = service;
  const release = await holdWriters();
  const sockets: Array<Socket> = [];
  for (let client = 0; client < pipeliningClients; client += 1) {
    const socket = await connectTo(address);
    socket.write(create(`animal ${client}`).repeat(pipelined));
    sockets.push(socket);
  }
  await untilSeen(address);
  for (const socket of sockets) socket.resetAndDestroy();
  await untilSeen(address);
  await release();
  await eventually('no request is in flight', 20_000, async () => (await inFlight(service)) === 0);
  const answers = await Promise.all(Array.from({ length: all }, () => listPets({ address, ...caller })));
  expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
  const { stdout } = await service.stop();
  const left = stdout.split('\n').filter((line) => line.includes('"method":"POST"'));
  expect(left, 'log lines, one for each request that was begun').to.have.length(pipeliningClients);
};

const halfBodies = 5_000;
const atOnce = 100;

/** Maximum growth of the heap, far less than 5,000 requests would hold. */
const heapNoiseMegabytes = 5;

const breakOff = async (address: string, isReset: boolean): Promise<void> => {
  const socket = await connectTo(address);
  socket.resume().write(`${postHead(1_000)}{"name":"half","categoryId":7`, () => {
    if (isReset) socket.resetAndDestroy();
    else socket.end();
  });
  await untilClosed(socket);
};

const breakOffOften = async (address: string, times: number): Promise<void> => {
  for (let sent = 0; sent < times; sent += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, place) => breakOff(address, place % 2 === 0)));
  }
};

/**
 * Returns the smallest heap in megabytes within two seconds, because remains of a broken connection stay for a second.
 */
const settledHeap = async (service: ServiceProcess): Promise<number> => {
  let least = Infinity;
  for (let sample = 0; sample < 8; sample += 1) {
    await delay(250);
    least = Math.min(least, await heapInUse(service));
  }
  return least;
};

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

const breakBodies = async (folder: string): Promise<void> => {
  const service = await startService({ ...environmentOf(`sqlite:${folder}/animals.sqlite3`), ...collecting });
  const pid = pidOf(service);
  await breakOffOften(service.address, halfBodies / 5);
  const heap = await settledHeap(service);
  const descriptors = descriptorsOf(pid);
  await breakOffOften(service.address, halfBodies);
  const growth = (await settledHeap(service)) - heap;
  await eventually('all descriptors are closed', 5_000, () => descriptorsOf(pid) <= descriptors);
  expect(growth, 'megabytes of heap').to.be.below(heapNoiseMegabytes);
  expect((await listPets({ ...service, ...caller })).text, 'animals').to.equal('[]');
};

const silentClients = 300;

/**
 * Texts that clients send before they fall silent, patterns of the answers, and maximum times until connections are
 * closed.
 */
const silences: ReadonlyArray<readonly [sent: string, received: RegExp, boundMs: number]> = [
  ['', /^$/, 15_000],
  [`GET /v1/pets HTTP/1.1\r\n${head}`, /^HTTP\/1\.1 408 /, 15_000],
  [`${postHead(40)}{"name":`, /^HTTP\/1\.1 408 /, 25_000],
  [`GET /v1/pets HTTP/1.1\r\n${head}\r\n\r\n`, /^HTTP\/1\.1 200 /, 70_000],
];

const beSilent = async (folder: string): Promise<void> => {
  const { address } = await startService(environmentOf(`sqlite:${folder}/animals.sqlite3`));
  const good = goodClient({ address, ...caller });
  const stay = async ([sent, expected, boundMs]: (typeof silences)[number]): Promise<void> => {
    const socket = await connectTo(address);
    const began = performance.now();
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.write(sent);
    await untilClosed(socket);
    expect(performance.now() - began, `milliseconds after ${sent}`).to.be.below(boundMs);
    expect(received, sent).to.match(expected);
  };
  const all = silences.flatMap((silence) => Array.from({ length: silentClients }, () => stay(silence)));
  await Promise.all(all).finally(good.end);
};

describe('Clients that leave', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    it(`take their pipelined requests with them while these wait for a lock, on ${name}`, () =>
      within(abandonPipelines));
  }

  // Runs on SQLite only, because these requests end before they reach a database.
  it('leave nothing behind after half a body', () => inFolder(breakBodies));

  it('are disconnected if they fall silent, next to a good client', () => inFolder(beSilent));
});
