import { expect } from 'chai';
import { once } from 'node:events';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { newCatalogue } from '../../support/databases/catalogue';
import { eventually } from '../../support/eventually';
import { call, environmentOf, owner, stranger } from '../../support/http/client';
import { pidOf } from '../../support/processes/system';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { inFolder, removeFolders } from '../../support/temporary-folder';
import { decodeOrThrow, PetName } from '../../../core';
import { arbitraryNewPet } from '../../contracts';
import { requestLargePage, seedLargePage, untilClosed } from '../support/clients';
import { peakMemory, starvedMs } from '../support/measures';

const megabyte = 1_048_576;

const startWithLargePage = async (folder: string): Promise<ServiceProcess> => {
  const service = await startService(environmentOf(`sqlite:${folder}/animals.sqlite3`));
  await seedLargePage(service.address, owner);
  return service;
};

/** Counts the bytes of a 200. `missing` is NaN before the head is there. */
const countBytes = () => {
  let head = '';
  let received = 0;
  let total = NaN;
  return {
    take: (bytes: Buffer): void => {
      received += bytes.length;
      if (!Number.isNaN(total)) return;
      head += bytes.toString('latin1');
      const [whole, length] =
        /^HTTP\/1.1 200 [^]*\r\ncontent-length: (\d+)\r\n[^]*?\r\n\r\n/i.exec(head) ?? [];
      if (whole !== undefined) total = whole.length + Number(length);
    },
    missing: (): number => total - received,
  };
};

const fastReaders = 12;
const rounds = 3;

const readWhole = async (socket: Socket): Promise<number> => {
  const { take, missing } = countBytes();
  socket.on('data', (chunk: Buffer) => {
    take(chunk);
    if (missing() <= 0) socket.destroy();
  });
  await untilClosed(socket);
  return missing();
};

const readAtFullSpeed = async (folder: string): Promise<void> => {
  const { address } = await startWithLargePage(folder);
  for (let round = 0; round < rounds; round += 1) {
    const opened = await Promise.all(
      Array.from({ length: fastReaders }, () => requestLargePage(address, owner)),
    );
    const missing = await Promise.all(opened.map(readWhole));
    expect(missing, 'bytes that each missed').to.deep.equal(missing.map(() => 0));
  }
};

/** Number of stalled readers. Each comes alone, so that each has a buffer of its own: 240 MB, or half of it unsent. */
const stalledReaders = 24;

const leastLeft = 3;
const leastCutOff = 8;

/** The steady reader takes this much, this often: the page takes it over 30 s. */
const sipBytes = 32_768;
const sipIntervalMs = 100;

const dripIntervalMs = 250;
const longestStallMs = 45_000;
const maxStalledMemoryBytes = 512 * megabyte;

/** Sends an empty line, which HTTP ignores: a client that does not read learns by it that its connection is gone. */
const drip = (socket: Socket): unknown => socket.writable && socket.write('\r\n');

/** Reads all of the page, a little at a time. Returns the number of bytes that were missing when the connection ended. */
const readSteadily = async (address: string): Promise<number> => {
  const { take, missing } = countBytes();
  const buffer = Buffer.alloc(sipBytes);
  const callback = (count: number): boolean => {
    take(buffer.subarray(0, count));
    if (missing() <= 0) socket.destroy();
    // Returning false pauses the socket.
    return false;
  };
  const socket = await requestLargePage(address, owner, { onread: { buffer, callback } });
  const sips = setInterval(() => {
    socket.resume();
    drip(socket);
  }, sipIntervalMs);
  await untilClosed(socket);
  clearInterval(sips);
  return missing();
};

const stall = async (address: string): Promise<Socket> => {
  const socket = await requestLargePage(address, owner);
  await once(socket, 'data');
  socket.pause();
  const drips = setInterval(drip, dripIntervalMs, socket);
  socket.once('close', () => {
    clearInterval(drips);
  });
  return socket;
};

const stallNextToSteadyReader = async (folder: string): Promise<void> => {
  const service = await startWithLargePage(folder);
  const { address } = service;
  // The steady reader is the oldest of all.
  const steady = readSteadily(address);
  const sockets: Array<Socket> = [];
  while (sockets.length < stalledReaders) sockets.push(await stall(address));
  const cutOff = (): ReadonlyArray<boolean> => sockets.map(({ destroyed }) => destroyed);
  const count = (): number => cutOff().filter(Boolean).length;
  await eventually('stalled readers are cut off', longestStallMs, () => count() >= leastCutOff);
  // Each reader that was cut off at that moment has noticed by then.
  await delay(2 * dripIntervalMs);
  const cut = count();
  const oldestFirst = Array.from({ length: stalledReaders }, (_, place) => place < cut);
  expect(cutOff(), 'readers that are cut off, the oldest first').to.deep.equal(oldestFirst);
  expect(cut, 'stalled readers that are cut off').to.be.at.most(stalledReaders - leastLeft);

  expect(await steady, 'bytes that the steady reader missed').to.equal(0);
  expect(peakMemory(pidOf(service)), 'bytes of memory').to.be.below(maxStalledMemoryBytes);
  for (const socket of sockets) socket.destroy();
};

const attackers = 100;
const attackMs = 6_000;
const maxAttackMemoryBytes = 1_200 * megabyte;

const longName = decodeOrThrow(PetName, 'x'.repeat(65_536));

const readManyPages = async (): Promise<void> => {
  const pets = Array.from({ length: 300 }, () => ({ ...arbitraryNewPet(), name: longName }));
  const { environment } = await newCatalogue(pets);
  const service = await startService({ ...environment, API_KEYS: `${owner},${stranger}` });
  const pid = pidOf(service);
  const until = performance.now() + attackMs;
  const agent = new Agent({ keepAlive: true });
  const longest: Record<string, number> = {};

  const attack = async (after: number): Promise<void> => {
    const url = `${service.address}/v1/pets?limit=100&after=${after}`;
    while (performance.now() < until) await call(url, { key: owner, agent });
  };
  const useAsVictim = async (path: string, wanted: number, body?: string): Promise<void> => {
    const method = body === undefined ? 'GET' : 'POST';
    const what = `${method} ${path}`;
    const sent = { method, key: stranger, agent, ...(body !== undefined && { body }) } as const;
    while (performance.now() < until) {
      const starvedBefore = starvedMs(pid);
      const { status, headers, milliseconds } = await call(`${service.address}${path}`, sent);
      const starved = starvedMs(pid) - starvedBefore;
      // A machine that keeps the service from a processor may let the queue of all owners last too long.
      if (status === 503 && starved > milliseconds / 2) {
        expect(headers['retry-after'], what).to.match(/^[1-9]/);
      } else expect(status, what).to.equal(wanted);
      // Counts the time in which the service could run.
      longest[what] = Math.max(longest[what] ?? 0, Math.round(milliseconds - starved));
      await delay(50);
    }
  };

  await Promise.all([
    ...Array.from({ length: attackers }, (_, after) => attack(after)),
    useAsVictim('/v1/pets?after=299', 200),
    useAsVictim('/v1/pets?limit=20&after=280', 200),
    useAsVictim('/v1/pets?limit=100&after=150', 200),
    useAsVictim('/v1/pets/300', 200),
    useAsVictim('/v1/pets', 201, '{"name":"Rex","categoryId":1}'),
    useAsVictim('/readyz', 200),
  ]);
  agent.destroy();
  expect(peakMemory(pid), 'bytes of memory').to.be.below(maxAttackMemoryBytes);
  expect(longest['GET /readyz'], 'ms until /readyz').to.be.below(1_000);
  for (const [what, milliseconds] of Object.entries(longest)) expect(milliseconds, what).to.be.below(5_000);
};

describe('Clients of large pages', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it(`get a page of 10 MB whole, ${fastReaders} at once at full speed, on SQLite`, () =>
    inFolder(readAtFullSpeed));
  it('are cut off if they read nothing, not if they read a little at a time, on SQLite', () =>
    inFolder(stallNextToSteadyReader));
  it(`delay no other owner, ${attackers} with one key, on SQLite`, readManyPages);
});
