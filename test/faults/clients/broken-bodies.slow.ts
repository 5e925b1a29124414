import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { listPets } from '../../support/http/client';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { fault, type Figures } from '../support/fault';
import { collecting, heapInUse } from '../support/measures/heap-in-use';
import { pidOf } from '../../support/processes/system';
import { type SqlStore, sqlStores } from '../../support/databases/databases';

const key = 'broken-key';
const requests = 10_000;
const atOnce = 100;

/** In megabytes: far less than 10,000 requests would hold. */
const heapNoise = 5;

const half = [
  'POST /v1/pets HTTP/1.1',
  'Host: animals',
  `Authorization: Bearer ${key}`,
  'Content-Type: application/json',
  'Content-Length: 1000',
  '',
  '{"name":"half","categoryId":7',
].join('\r\n');

/** Sends half a create, and ends the connection in order or with a reset. */
const breakOff = (address: string, isReset: boolean): Promise<void> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined).resume();
    socket.once('close', () => {
      resolve();
    });
    socket.once('connect', () => {
      socket.write(half, () => {
        if (isReset) socket.resetAndDestroy();
        else socket.end();
      });
    });
  });

const breakOffOften = async (address: string, times: number): Promise<void> => {
  for (let sent = 0; sent < times; sent += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, place) => breakOff(address, place % 2 === 0)));
  }
};

/** In megabytes, the least over two seconds: what is left of a broken connection stays for one. */
const settledHeap = async (service: ServiceProcess): Promise<number> => {
  let least = Infinity;
  for (let sample = 0; sample < 8; sample += 1) {
    await delay(250);
    least = Math.min(least, await heapInUse(service));
  }
  return least;
};

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

const breakBodies = async ({ databaseUrl }: SqlStore): Promise<Figures> => {
  const service = await startService({
    DATABASE_URL: databaseUrl,
    API_KEYS: key,
    LOG_LEVEL: 'silent',
    ...collecting,
  });
  const pid = pidOf(service);
  await breakOffOften(service.address, requests / 5);
  const heap = await settledHeap(service);
  const descriptors = descriptorsOf(pid);
  await breakOffOften(service.address, requests);
  const growth = (await settledHeap(service)) - heap;
  await eventually('all descriptors are closed', 5_000, () => descriptorsOf(pid) <= descriptors);
  const more = descriptorsOf(pid) - descriptors;
  expect(growth, 'megabytes of heap').to.be.below(heapNoise);
  expect((await listPets({ ...service, key })).text, 'animals').to.equal('[]');
  return {
    requests,
    animals: 0,
    'descriptors more': more,
    'heap MB more': growth.toFixed(1),
  };
};

describe('Promise 5: broken bodies leave nothing behind', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    fault(`${name}: half bodies and resets`, () => within(breakBodies));
  }
});
