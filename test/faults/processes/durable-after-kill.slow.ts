import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../../support/processes/command';
import { integrityOf } from '../../support/databases/sqlite-files';
import { killServices, startService } from '../../support/service/service-process';
import { call } from '../../support/http/client';
import { fault, type Figures } from '../support/fault';
import { inFolder } from '../../support/temporary-folder';
import { type PostgresServer, withOwnPostgres } from '../../support/postgres/postgres-server';
import { expectStored, type Stored } from '../support/checks/stored';

const key = 'durable-key';
const clients = 64;

/** In milliseconds: the longest time from the first acknowledged animal of a round to its kill. */
const longestRound = 400;

interface Ledger {
  readonly sent: Set<string>;
  readonly acknowledged: Array<string>;
}

/** 64 clients create until the service has no answer for any of them. */
const createUntilCut = async (
  address: string,
  round: number,
  { sent, acknowledged }: Ledger,
): Promise<void> => {
  const createOn = async (client: number): Promise<void> => {
    for (let count = 0; ; count += 1) {
      const name = `${round}-${client}-${count}`;
      sent.add(name);
      const body = `{"name":"${name}","categoryId":${count}}`;
      const answer = await call(`${address}/v1/pets`, { method: 'POST', key, body }).catch(() => undefined);
      if (answer === undefined) return;
      expect(answer.status).to.be.oneOf([201, 503]);
      if (answer.status === 201) acknowledged.push(answer.text);
      else await delay(Math.random() * 100);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => createOn(client)));
};

const startLedger = (): Ledger => ({ sent: new Set(), acknowledged: [] });

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await delay(2);
};

const killTheService = async (environment: Environment, kills: number, ledger: Ledger): Promise<void> => {
  for (let round = 0; round < kills; round += 1) {
    const service = await startService(environment);
    const before = ledger.acknowledged.length;
    const creates = createUntilCut(service.address, round, ledger);
    await until(() => ledger.acknowledged.length > before);
    await delay(Math.random() * longestRound);
    service.signal('SIGKILL');
    expect(await service.ended).to.include({ signal: 'SIGKILL' });
    await creates;
  }
};

/** The service lives on, and meets the server again. */
const killTheServer = async (
  environment: Environment,
  kills: number,
  ledger: Ledger,
  postgres: PostgresServer,
): Promise<void> => {
  const service = await startService(environment);
  const creates = createUntilCut(service.address, kills, ledger);
  for (let round = 0; round < kills; round += 1) {
    const before = ledger.acknowledged.length;
    await until(() => ledger.acknowledged.length > before);
    await delay(Math.random() * longestRound);
    await postgres.kill();
    await postgres.start();
  }
  service.signal('SIGKILL');
  await service.ended;
  await creates;
};

const figuresOf = (
  kills: number,
  { acknowledged, sent }: Ledger,
  { stored, lost, twice }: Stored,
): Figures => ({
  kills,
  clients,
  sent: sent.size,
  acknowledged: acknowledged.length,
  'stored without an answer': stored - acknowledged.length,
  lost,
  twice,
});

const holdAgainst = async (environment: Environment, ledger: Ledger): Promise<Stored> => {
  const service = await startService(environment);
  const stored = await expectStored({ ...service, key }, ledger);
  expect((await service.stop()).code).to.equal(0);
  return stored;
};

describe('Promise 1: a 201 is durable', () => {
  afterEach(killServices);

  fault('SQLite: kill -9 amid creates', () =>
    inFolder(async (folder) => {
      const file = `${folder}/animals.sqlite3`;
      const environment = { DATABASE_URL: `sqlite:${file}`, API_KEYS: key, LOG_LEVEL: 'silent' };
      const ledger = startLedger();
      await killTheService(environment, 50, ledger);
      const stored = await holdAgainst(environment, ledger);
      expect(await integrityOf(file)).to.deep.equal(['ok']);
      return { ...figuresOf(50, ledger, stored), integrity_check: 'ok' };
    }),
  );

  fault('PostgreSQL: kill -9 of the service amid creates', () =>
    withOwnPostgres(async ({ url }) => {
      const environment = { DATABASE_URL: url, API_KEYS: key, LOG_LEVEL: 'silent' };
      const ledger = startLedger();
      await killTheService(environment, 10, ledger);
      return figuresOf(10, ledger, await holdAgainst(environment, ledger));
    }),
  );

  fault('PostgreSQL: kill -9 of the database server amid creates', () =>
    withOwnPostgres(async (postgres) => {
      const environment = { DATABASE_URL: postgres.url, API_KEYS: key, LOG_LEVEL: 'silent' };
      const ledger = startLedger();
      await killTheServer(environment, 5, ledger, postgres);
      return figuresOf(5, ledger, await holdAgainst(environment, ledger));
    }),
  );
});
