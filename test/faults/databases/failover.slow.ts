import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { type Answer, call, environmentOf, owner } from '../../support/http/client';
import { type FreezingProxy, startFreezingProxy } from '../../support/postgres/freezing-proxy';
import { urlOf } from '../../support/postgres/postgres-server';
import { killServices, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { fault, type Figures } from '../support/fault';
import { create, expectStored, newLedger } from '../support/ledger';
import { type PostgresPair, withPostgresPair } from '../support/postgres-pair';

const creators = 24;
const readers = 8;
const underLoadMs = 3_000;
const longestOutageMs = 45_000;
const longestAnswerMs = 5_000;
const pauseMs = 50;

const expectInTime = ({ milliseconds, status }: Answer): void => {
  expect(milliseconds, `milliseconds until a ${status}`).to.be.below(longestAnswerMs);
};

/** Clients that create until `end`. Half of the creates have a key, and are repeated until they get a 201. */
const startCreators = (address: string) => {
  const ledger = newLedger();
  const times: Array<number> = [];
  const unanswered = new Set<string>();
  let refused = 0;
  let isOver = false;
  const over = (): boolean => isOver;
  const attempt = async (name: string, isKeyed: boolean): Promise<boolean> => {
    if (isKeyed) unanswered.add(name);
    const answer = await create(ledger, address, name, { isKeyed });
    expectInTime(answer);
    if (answer.status === 201) {
      times.push(performance.now());
      unanswered.delete(name);
      return true;
    }
    expect(answer.status, answer.text).to.equal(503);
    refused += 1;
    await delay(pauseMs);
    return false;
  };
  const createUntilOver = async (client: number): Promise<void> => {
    const isKeyed = client % 2 === 0;
    for (let count = 0; !over(); count += 1) {
      const name = `${client}-${count}`;
      let isDone = await attempt(name, isKeyed);
      while (isKeyed && !isDone && !over()) isDone = await attempt(name, isKeyed);
    }
  };
  const load = Promise.all(Array.from({ length: creators }, (_, client) => createUntilOver(client)));
  return {
    ledger,
    times,
    refused: () => refused,
    /** Repeats the keyed creates without a 201 once more: each must get one. */
    end: async (): Promise<void> => {
      isOver = true;
      await load;
      for (const name of unanswered) await attempt(name, true);
      expect([...unanswered], 'keys without a 201').to.deep.equal([]);
    },
  };
};

/** Clients that read until `end`, which returns the times of the 503s. */
const startReaders = (address: string) => {
  const refused: Array<number> = [];
  let isOver = false;
  const readUntilOver = async (): Promise<void> => {
    while (!isOver) {
      const answer = await call(`${address}/v1/pets?limit=5`, { key: owner });
      expectInTime(answer);
      if (answer.status !== 200) {
        expect(answer.status, answer.text).to.equal(503);
        refused.push(performance.now());
      }
      await delay(pauseMs);
    }
  };
  const load = Promise.all(Array.from({ length: readers }, readUntilOver));
  return {
    end: async (): Promise<ReadonlyArray<number>> => {
      isOver = true;
      await load;
      return refused;
    },
  };
};

const longestGap = (times: ReadonlyArray<number>): number =>
  times.reduce((longest, time, place) => Math.max(longest, time - (times[place - 1] ?? time)), 0);

const inSeconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(1);

interface Setting {
  readonly pair: PostgresPair;
  /** Address of the database, which moves with the primary. */
  readonly proxy: FreezingProxy;
  readonly address: string;
}

const withService = (use: (setUp: Setting) => Promise<Figures>): Promise<Figures> =>
  inFolder((first) =>
    inFolder((second) =>
      withPostgresPair([first, second], async (pair) => {
        const proxy = await startFreezingProxy(pair.primary().port);
        try {
          const { address } = await startService(environmentOf(urlOf(proxy.port)));
          return await use({ pair, proxy, address });
        } finally {
          await killServices();
          await proxy.close();
        }
      }),
    ),
  );

const failOver = (loss: 'is killed' | 'hangs') => (): Promise<Figures> =>
  withService(async ({ pair, proxy, address }) => {
    const { ledger, times, refused, end } = startCreators(address);
    const reads = startReaders(address);
    await delay(underLoadMs);
    const lostAt = performance.now();
    if (loss === 'hangs') pair.primary().hang();
    else await pair.primary().kill();
    await pair.failOver();
    proxy.switchTo(pair.primary().port, loss === 'hangs' ? 'hang' : 'end');
    const switchedAt = performance.now();
    await eventually('creates succeed', longestOutageMs, () => (times.at(-1) ?? 0) > switchedAt);
    const wellAt = performance.now();
    await pair.addStandby();
    await delay(underLoadMs);
    await end();
    const refusedReads = await reads.end();

    const { stored, lost, twice } = await expectStored({ address }, ledger);
    // Reads fail while there is no primary. A connection that hangs would fail more of them, later.
    const late = refusedReads.filter((time) => time > switchedAt + longestAnswerMs);
    expect(late.length, 'reads refused after the switch').to.equal(0);
    return {
      creates: ledger.sent.size,
      acknowledged: ledger.acknowledged.length,
      'answered with 503': refused(),
      stored,
      lost,
      twice,
      's without a 201': inSeconds(longestGap(times)),
      's from the switch to a 201': inSeconds(wellAt - switchedAt),
      'reads refused': refusedReads.length,
      's from the loss to the last of them': inSeconds(Math.max(lostAt, ...refusedReads) - lostAt),
    };
  });

/**
 * As PostgreSQL documents, a primary shows after its restart commits that the standby lacks. A retry must not be answered by
 * such a commit.
 */
const retryBeforeStandby = (): Promise<Figures> =>
  withService(async ({ pair, proxy, address }) => {
    const ledger = newLedger();
    const name = 'only on the primary';
    const retry = () => create(ledger, address, name, { isKeyed: true });
    const isShown = async () => (await call(`${address}/v1/pets`, { key: owner })).text.includes(name);

    pair.replication().freeze();
    expect((await retry()).status, 'a create while the standby is cut off').to.equal(503);
    await pair.primary().kill();
    await pair.primary().start();
    await eventually('the primary shows it', longestOutageMs, isShown);
    expect((await retry()).status, 'a retry while the standby is cut off').to.equal(503);

    await pair.primary().kill();
    await pair.failOver();
    proxy.switchTo(pair.primary().port, 'end');
    await pair.addStandby();
    const { status, text } = await retry();
    expect(status, text).to.equal(201);
    const { lost, twice } = await expectStored({ address }, ledger);
    return { lost, twice };
  });

describe('A service on a PostgreSQL primary with a synchronous standby', () => {
  fault('loses nothing when the primary is killed and the standby takes over', failOver('is killed'));
  fault('loses nothing when the primary hangs and the standby takes over', failOver('hangs'));
  fault('acknowledges nothing that the standby lacks when a create is retried', retryBeforeStandby);
});
