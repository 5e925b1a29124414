import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { apiKeyStore } from '../../../adapters/knex';
import { eventually } from '../../support/eventually';
import { run } from '../../support/run';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { call } from '../../support/http/client';
import { fault, type Figures } from '../support/fault';
import { throughProxy } from '../../support/postgres/freezing-proxy';
import { inFolder } from '../../support/temporary-folder';
import { pidOf } from '../../support/processes/system';
import { type SqlStore, sqlStores } from '../../support/databases/databases';
import { attachStrace, detachAll } from '../support/machine/strace';

/** In milliseconds: how soon a revoked key is refused, whatever the database does. */
const bound = 5_000;

/** In milliseconds: how long it is used after that, at the least. */
const longest = 6_000;

/** In milliseconds, between two uses of a key. */
const pause = 10;

/** What shows that a key was let in, and asks the database for nothing else: a path that nothing is at. */
const letIn = 404;

/** Uses a key at an instance all the time; remembers when it was let in last, and how it was refused. */
const useAllTheTime = ({ address }: ServiceProcess, key: string) => {
  let isUsing = true;
  let lastLetIn = 0;
  let latest = 0;
  const refusals = new Set<number>();
  const use = async (): Promise<void> => {
    while (isUsing) {
      const { status } = await call(`${address}/v1/nothing`, { key });
      if (status === letIn) lastLetIn = performance.now();
      else refusals.add(status);
      latest = status;
      await delay(pause);
    }
  };
  const used = use();
  return {
    latest: () => latest,
    lastLetIn: () => lastLetIn,
    refusals,
    end: async () => {
      isUsing = false;
      await used;
    },
  };
};

interface Sickness {
  /** In milliseconds from the moment at which the key is revoked. */
  readonly begins: number;
  readonly ends: number;
  /** Stops the database under the instances; answers with what lets it go on. */
  readonly stopDatabase: (services: ReadonlyArray<ServiceProcess>) => Promise<() => Promise<void>>;
  readonly refusedWith: ReadonlyArray<number>;
}

/** Revokes a key that two instances are asked with all the time. */
const revoke = async (
  { open }: SqlStore,
  databaseUrl: string,
  { begins, ends, stopDatabase, refusedWith }: Sickness,
): Promise<Figures> => {
  // The longest, so that it is not what gives up an answer that is late.
  const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent', POSTGRES_STATEMENT_TIMEOUT: '9000' };
  const first = await startService(environment);
  const services = [first, await startService(environment)];
  const database = open();
  const register = apiKeyStore(database);
  const { id, key } = await run(register.issue('shop'));
  const uses = services.map((service) => useAllTheTime(service, key));
  await eventually('both let it in', bound, () => uses.every(({ latest }) => latest() === letIn));
  await delay((2 * bound) / 5);
  expect(
    uses.flatMap(({ refusals }) => [...refusals]),
    'refused before it is revoked',
  ).to.deep.equal([]);

  const stopped = begins < 0 ? await stopDatabase(services) : undefined;
  await delay(-begins);
  const began = performance.now();
  await run(register.revoke(id));
  const goOn = stopped ?? (await stopDatabase(services));
  await delay(began + ends - performance.now());
  await goOn();
  await delay(began + longest - performance.now());
  await eventually('both know that it is none', 3 * bound, () =>
    uses.every(({ latest }) => latest() === 401),
  ).finally(async () => {
    await Promise.all(uses.map(({ end }) => end()));
    await database.close();
  });
  for (const { lastLetIn, refusals } of uses) {
    expect(lastLetIn(), 'let in later than 5 s after').to.be.below(began + bound);
    expect([...refusals].filter((status) => status !== 401 && !refusedWith.includes(status))).to.deep.equal(
      [],
    );
  }
  const refused = refusedWith.every((status) => uses.some(({ refusals }) => refusals.has(status)));
  expect(refused, 'the fault was met').to.equal(true);
  const last = Math.max(...uses.map(({ lastLetIn }) => lastLetIn() - began));
  return { instances: services.length, 'last let in after ms': Math.round(Math.max(last, 0)) };
};

const fromThenOn = { begins: 0, ends: longest };

const unharmed: Sickness = {
  ...fromThenOn,
  stopDatabase: () => Promise.resolve(() => Promise.resolve()),
  refusedWith: [],
};

const frozen = (freeze: () => void, thaw: () => void, when: Pick<Sickness, 'begins' | 'ends'>): Sickness => ({
  ...when,
  stopDatabase: () => {
    freeze();
    return Promise.resolve(() => {
      thaw();
      return Promise.resolve();
    });
  },
  refusedWith: [503],
});

/** A disk that takes seconds to read. */
const slowReads = (folder: string): Sickness => ({
  ...fromThenOn,
  stopDatabase: async (services) => {
    const { detach } = await attachStrace(
      services.map(pidOf),
      ['-e', 'trace=pread64', '-e', 'inject=pread64:delay_enter=4000000'],
      `${folder}/trace`,
    );
    return detach;
  },
  refusedWith: [503],
});

describe('Promise 8: a revoked key is refused on every instance within 5 s', () => {
  afterEach(detachAll);
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    fault(`on two instances on ${name}`, () => within((store) => revoke(store, store.databaseUrl, unharmed)));

    if (name === 'PostgreSQL') {
      fault('with the database out of reach from then on, on PostgreSQL', () =>
        within((store) =>
          throughProxy(store.databaseUrl, (proxied, { freeze, thaw }) =>
            revoke(store, proxied, frozen(freeze, thaw, fromThenOn)),
          ),
        ),
      );
      fault('with answers of the database that come 4.5 s late, on PostgreSQL', () =>
        within((store) =>
          throughProxy(store.databaseUrl, (proxied, { freezeAnswers, thaw }) =>
            // Before it is revoked both have asked again, and their answers are held.
            revoke(store, proxied, frozen(freezeAnswers, thaw, { begins: -2_200, ends: 4_500 })),
          ),
        ),
      );
    } else {
      fault(
        'with a disk that takes 4 s for each read from then on, on SQLite',
        () => inFolder((folder) => within((store) => revoke(store, store.databaseUrl, slowReads(folder)))),
        { needs: ['strace'] },
      );
    }
  }
});
