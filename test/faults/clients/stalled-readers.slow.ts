import { expect } from 'chai';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { killServices, startService } from '../../support/service/service-process';
import { fault, type Figures } from '../support/fault';
import { inFolder } from '../../support/temporary-folder';
import { askForLargePage, seedLargePage } from '../support/clients/large-page';
import { peakMemory } from '../support/measures/peak-memory';
import { pidOf } from '../../support/processes/system';

const key = 'stalled-readers-key';

/** Each comes alone, so that the page of each is a buffer of its own: together 240 MB, or half of that unsent. */
const stalled = 24;

/** Of them: the bound on unread answers is passed by more. */
const leastCutOff = 8;

/** Of them, the newest: what they hold is far below the bound. */
const leastLeft = 3;

/** What the steady reader takes, in bytes, and how often, in milliseconds: the page takes it over a minute. */
const sip = 16_384;
const betweenSips = 100;

/** In milliseconds. */
const betweenDrips = 250;
const longestStall = 45_000;

/** In bytes. */
const mostMemory = 512 * 1024 * 1024;

/** Reads a little at a time, and all of the page: how many bytes were missing when the connection ended. */
const readSteadily = async (address: string): Promise<number> => {
  let received = 0;
  let total = NaN;
  const buffer = Buffer.alloc(sip);
  const socket = await askForLargePage(address, key, {
    buffer,
    callback: (count) => {
      received += count;
      if (Number.isNaN(total)) {
        const head = buffer.toString('latin1', 0, count);
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
        total = head.indexOf('\r\n\r\n') + 4 + Number(length);
      }
      if (received >= total) socket.destroy();
      // No more until it is resumed.
      return false;
    },
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const sips = setInterval(() => {
    socket.resume();
    // Shows a connection that is gone to a client that takes what came before.
    if (socket.writable) socket.write('\r\n');
  }, betweenSips);
  await closed;
  clearInterval(sips);
  return total - received;
};

/** Takes the beginning of the page, and nothing after it. */
const stall = async (
  address: string,
): Promise<{ readonly isCutOff: () => boolean; readonly end: () => void }> => {
  const socket = await askForLargePage(address, key);
  await once(socket, 'data');
  socket.pause();
  // Empty lines between requests mean nothing; they show that the connection is gone to a client that does not read.
  const drips = setInterval(() => {
    if (socket.writable) socket.write('\r\n');
  }, betweenDrips);
  socket.once('close', () => {
    clearInterval(drips);
  });
  return { isCutOff: () => socket.destroyed, end: () => void socket.destroy() };
};

const stallBesideASteadyReader = async (folder: string): Promise<Figures> => {
  const service = await startService({ DATABASE_URL: `sqlite:${folder}/animals.sqlite3`, API_KEYS: key });
  const { address } = service;
  await seedLargePage(address, key);

  // The steady reader is the oldest of all.
  const steady = readSteadily(address);
  const clients: Array<Awaited<ReturnType<typeof stall>>> = [];
  while (clients.length < stalled) clients.push(await stall(address));
  const began = performance.now();
  const cutOff = (): ReadonlyArray<boolean> => clients.map(({ isCutOff }) => isCutOff());
  const count = (): number => cutOff().filter(Boolean).length;
  await eventually(`${leastCutOff} stalled readers are cut off`, longestStall, () => count() >= leastCutOff);
  const cutOffAfter = performance.now() - began;
  // Each that was cut off with them has noticed then.
  await delay(2 * betweenDrips);
  const cut = count();
  const oldestFirst = Array.from({ length: stalled }, (_, place) => place < cut);
  expect(cutOff(), 'who is cut off, the oldest first').to.deep.equal(oldestFirst);
  expect(cut, 'stalled readers that are cut off').to.be.at.most(stalled - leastLeft);

  expect(await steady, 'bytes that the steady reader missed').to.equal(0);
  const memory = peakMemory(pidOf(service));
  expect(memory, 'bytes of memory at most').to.be.below(mostMemory);
  for (const { end } of clients) end();
  return {
    stalled,
    'cut off first': cut,
    'after ms': Math.round(cutOffAfter),
    'steady for ms': Math.round(performance.now() - began),
    'MB at most': Math.round(memory / 1024 / 1024),
  };
};

describe('Promise 5: who stalls is cut off, who reads is not', () => {
  afterEach(killServices);

  fault('SQLite: readers of nothing beside one that reads a little at a time', () =>
    inFolder(stallBesideASteadyReader),
  );
});
