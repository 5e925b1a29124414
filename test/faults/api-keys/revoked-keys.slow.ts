import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { type SqlStore, sqlStores } from '../../support/databases/databases';
import { eventually } from '../../support/eventually';
import { call } from '../../support/http/client';
import { throughProxy } from '../../support/postgres/freezing-proxy';
import { pidOf } from '../../support/processes/system';
import { success } from '../../contracts/outcome';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { apiKeyStore } from '../../../adapters/knex';
import { attachStrace, detachAll, fault } from '../support/machine';

/** Time after which a revoked key is refused, whatever the database does. */
const boundMs = 5_000;

const usedForMs = 6_000;

const pauseMs = 10;

/** Status with which a key is accepted, on a path without a route: it needs nothing else of the database. */
const accepted = 404;

const useAllTheTime = ({ address }: ServiceProcess, key: string) => {
  let isUsing = true;
  let lastAccepted = 0;
  let latest = 0;
  const refusals = new Set<number>();
  const use = async (): Promise<void> => {
    while (isUsing) {
      const { status } = await call(`${address}/v1/nothing`, { key });
      if (status === accepted) lastAccepted = performance.now();
      else refusals.add(status);
      latest = status;
      await delay(pauseMs);
    }
  };
  const used = use();
  return {
    latest: () => latest,
    lastAccepted: () => lastAccepted,
    refusals,
    end: async () => {
      isUsing = false;
      await used;
    },
  };
};

/** A fault of the database. Times count from the revocation. */
interface Outage {
  readonly beginsMs?: number;
  readonly endsMs?: number;
  /** Stops the database under the instances. The returned function lets it continue. */
  readonly stopDatabase: (services: ReadonlyArray<ServiceProcess>) => Promise<() => unknown>;
}

const revoke = async (
  { open }: SqlStore,
  databaseUrl: string,
  { beginsMs = 0, endsMs = usedForMs, stopDatabase }: Outage,
): Promise<void> => {
  const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' };
  const first = await startService(environment);
  const services = [first, await startService(environment)];
  const database = open();
  const apiKeys = apiKeyStore(database);
  const { id, key } = await success(apiKeys.create('shop'));
  const uses = services.map((service) => useAllTheTime(service, key));
  await eventually('both accept it', 60_000, () => uses.every(({ latest }) => latest() === accepted));
  await delay((2 * boundMs) / 5);
  expect(
    uses.flatMap(({ refusals }) => [...refusals]),
    'refused before it is revoked',
  ).to.deep.equal([]);

  const stopped = beginsMs < 0 ? await stopDatabase(services) : undefined;
  await delay(-beginsMs);
  const began = performance.now();
  await success(apiKeys.revoke(id));
  const resume = stopped ?? (await stopDatabase(services));
  await delay(began + endsMs - performance.now());
  await resume();
  await delay(began + usedForMs - performance.now());
  await eventually('both refuse it', 3 * boundMs, () => uses.every(({ latest }) => latest() === 401)).finally(
    async () => {
      await Promise.all(uses.map(({ end }) => end()));
      await database.close();
    },
  );
  for (const { lastAccepted, refusals } of uses) {
    expect(lastAccepted(), 'accepted later than 5 s after').to.be.below(began + boundMs);
    expect([...refusals].filter((status) => status !== 401 && status !== 503)).to.deep.equal([]);
  }
  expect(
    uses.some(({ refusals }) => refusals.has(503)),
    'the fault was met',
  ).to.equal(true);
};

const frozen = (freeze: () => void, thaw: () => void): Outage => ({
  stopDatabase: () => {
    freeze();
    return Promise.resolve(thaw);
  },
});

const slowReads: Outage = {
  stopDatabase: async (services) => {
    const options = ['-e', 'trace=pread64', '-e', 'inject=pread64:delay_enter=4000000'];
    return (await attachStrace(services.map(pidOf), options, '/dev/null')).detach;
  },
};

describe('A revoked key', () => {
  afterEach(detachAll);
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    if (name === 'PostgreSQL') {
      it('is refused within 5 s while the database is unreachable, on PostgreSQL', () =>
        within((store) =>
          throughProxy(store.databaseUrl, (proxied, { freeze, thaw }) =>
            revoke(store, proxied, frozen(freeze, thaw)),
          ),
        ));
      it('is refused within 5 s while the database responds 4.5 s late, on PostgreSQL', () =>
        within((store) =>
          throughProxy(store.databaseUrl, (proxied, { freezeAnswers, thaw }) =>
            // Both instances have looked the key up before its revocation, and wait for the response.
            revoke(store, proxied, { ...frozen(freezeAnswers, thaw), beginsMs: -2_200, endsMs: 4_500 }),
          ),
        ));
    } else {
      fault(
        'is refused within 5 s while the disk takes 4 s for each read, on SQLite',
        () => within((store) => revoke(store, store.databaseUrl, slowReads)),
        'strace',
      );
    }
  }
});
