import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { call, createUnder, environmentOf, idOf, newPet, owner } from '../../support/http/client';
import { type FreezingProxy, throughProxy } from '../../support/postgres/freezing-proxy';
import type { PostgresServer } from '../../support/postgres/postgres-server';
import { killServices, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { type PostgresPair, withPostgresPair } from '../support/postgres-pair';

interface Load {
  readonly readers: number;
  readonly writers: number;
  readonly pauseMs: number;
}

/** Reads that lacked an animal which was acknowledged before they began, and the number of reads that had it. */
interface ReadsBack {
  readonly missing: Array<string>;
  seen: number;
}

const healthCheckMs = 500;
const recoveryMs = 10_000;

/** Creates an animal, and reads it by each kind of read. */
const createAndReadBack = async (address: string, name: string, reads: ReadsBack): Promise<void> => {
  const { status, text } = await createUnder(address, name, newPet(name));
  if (status !== 201) return;
  const id = idOf(text);
  for (const path of [`/${id}`, `?limit=1&after=${BigInt(id) - 1n}`]) {
    const read = await call(`${address}/v1/pets${path}`, { key: owner });
    if (read.status === 503) continue;
    if (read.text.includes(`"id":${id},`)) reads.seen += 1;
    else reads.missing.push(`${path}: ${read.status} ${read.text}`);
  }
};

/** Sends requests and health checks until `stop` is called. `reads` records what the reads contained. */
const startLoad = (
  address: string,
  { readers, writers, pauseMs }: Load,
): { readonly reads: ReadsBack; readonly stop: () => Promise<void> } => {
  let isOver = false;
  const reads: ReadsBack = { missing: [], seen: 0 };
  const repeat = async (everyMs: number, work: (turn: number) => Promise<unknown>): Promise<void> => {
    for (let turn = 0; !isOver; turn += 1) {
      await work(turn);
      await delay(everyMs);
    }
  };
  const loops = [
    repeat(healthCheckMs, () => call(`${address}/readyz`)),
    ...Array.from({ length: readers }, () =>
      repeat(pauseMs, (turn) => call(`${address}/v1/pets?limit=${1 + (turn % 20)}`, { key: owner })),
    ),
    ...Array.from({ length: writers }, (_, writer) =>
      repeat(pauseMs, (turn) => createAndReadBack(address, `${writer}-${turn}`, reads)),
    ),
  ];
  return {
    reads,
    stop: async () => {
      isOver = true;
      await Promise.all(loops);
    },
  };
};

const statuses = async (address: string): Promise<ReadonlyArray<number>> => {
  const answers = await Promise.all([
    call(`${address}/v1/pets`, { method: 'POST', key: owner, body: newPet('any') }),
    call(`${address}/v1/pets`, { key: owner }),
    call(`${address}/readyz`),
  ]);
  return answers.map(({ status }) => status);
};

const untilWorking = (address: string): Promise<void> =>
  eventually('creates, reads and /readyz work', recoveryMs, async () =>
    (await statuses(address)).every((status) => status < 300),
  );

const sessionsOn = async (server: PostgresServer): Promise<number> => {
  const rows = await server.query("select 1 from pg_stat_activity where application_name = 'animal-store'");
  return rows.length;
};

const loads: Readonly<Record<string, Load>> = {
  'many clients': { readers: 8, writers: 4, pauseMs: 5 },
  'health checks only': { readers: 0, writers: 0, pauseMs: 0 },
};

const many: Load = { readers: 8, writers: 6, pauseMs: 5 };

/** Time for which new connections still lead to the former primary, as by a cached DNS answer. */
const staleAddressMs = 4_000;

/**
 * Stops the primary, promotes its standby, and lets the former primary come back as a standby. The proxy then leads to
 * the standby for some seconds, and keeps its open connections when it leads to the new primary.
 */
const failOver = async (
  pair: PostgresPair,
  proxy: FreezingProxy,
  beforeSwitch: () => Promise<unknown>,
): Promise<void> => {
  await pair.primary().stop();
  await pair.failOver();
  await pair.addStandby();
  await beforeSwitch();
  await delay(staleAddressMs);
  proxy.switchTo(pair.primary().port, 'keep');
};

const withPair = (
  use: (pair: PostgresPair, proxied: string, proxy: FreezingProxy) => Promise<void>,
): Promise<void> =>
  inFolder((first) =>
    inFolder((second) =>
      withPostgresPair([first, second], (pair) =>
        throughProxy(pair.primary().url, (proxied, proxy) => use(pair, proxied, proxy)),
      ),
    ),
  );

describe('A service whose PostgreSQL server fails over, and comes back as a standby at the same address', () => {
  afterEach(killServices);

  for (const [name, load] of Object.entries(loads)) {
    it(`serves nothing from the standby, and moves to the new primary without a restart: ${name}`, () =>
      withPair(async (pair, proxied, proxy) => {
        const { address } = await startService(environmentOf(proxied));
        await untilWorking(address);
        const { reads, stop } = startLoad(address, load);
        await failOver(pair, proxy, async () => {
          await eventually('the service reaches the standby', recoveryMs, async () =>
            (await call(`${address}/readyz`)).text.includes('the database server is read-only'),
          );
          expect(await statuses(address)).to.deep.equal([503, 503, 503]);
        });
        await untilWorking(address);
        expect(await sessionsOn(pair.standby()), 'sessions on the standby').to.equal(0);
        await stop();
        expect(reads.missing).to.deep.equal([]);
      }));
  }

  it('misses no acknowledged animal in a read, though the standby lags', () =>
    withPair(async (pair, proxied, proxy) => {
      const { address } = await startService(environmentOf(proxied));
      await untilWorking(address);
      const { reads, stop } = startLoad(address, many);
      await delay(1_000);
      await failOver(pair, proxy, () => pair.standby().query('select pg_wal_replay_pause()'));
      const before = reads.seen;
      await eventually('animals are read back from the new primary', 60_000, () => reads.seen > before + 300);
      expect(await sessionsOn(pair.standby()), 'sessions on the standby').to.equal(0);
      await stop();
      expect(reads.missing).to.deep.equal([]);
    }));
});
