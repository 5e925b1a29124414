import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { postgresStore, type SqlStore } from '../../support/databases/databases';
import { eventually } from '../../support/eventually';
import { call } from '../../support/http/client';
import { type FreezingProxy, throughProxy } from '../../support/postgres/freezing-proxy';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { success } from '../../contracts/outcome';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { apiKeyStore } from '../../../adapters/knex';

/** Time after which a revoked key is refused, whatever the database does. */
const boundMs = 5_000;

const usedForMs = 6_000;

const pauseMs = 10;

/**
 * Status of a request with an accepted key to a path without a route. Such a request reads only the key from the
 * database.
 */
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

/**
 * Times at which the database begins to delay its responses, and at which it sends them, both counted from the
 * revocation.
 */
const [delaysMs, sendsMs] = [-2_200, 4_500];

/**
 * Revokes a key that two instances use, while both wait for responses of the database to their queries for this key.
 */
const revoke = async (
  { open }: SqlStore,
  databaseUrl: string,
  { freezeAnswers, thaw }: FreezingProxy,
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

  freezeAnswers();
  await delay(-delaysMs);
  const began = performance.now();
  await success(apiKeys.revoke(id));
  await delay(began + sendsMs - performance.now());
  thaw();
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

describe('A revoked key', () => {
  afterEach(killServices);

  it('is refused within 5 s while the database responds 4.5 s late, on PostgreSQL', () =>
    inPostgresDatabase((url) =>
      throughProxy(url, (proxied, proxy) => revoke(postgresStore(url), proxied, proxy)),
    ));
});
