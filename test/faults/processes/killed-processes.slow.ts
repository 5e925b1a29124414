import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { integrityOf } from '../../support/databases/sqlite-files';
import { environmentOf } from '../../support/http/client';
import { withOwnPostgres } from '../../support/postgres/postgres-server';
import { killServices, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { create, expectStored, type Ledger, newLedger } from '../support/ledger';

const clients = 64;

const longestRoundMs = 400;

/** Runs 64 clients that create animals until the service has ended. */
const createUntilCut = (ledger: Ledger, address: string, round: number): Promise<unknown> => {
  const createOn = async (client: number): Promise<void> => {
    for (let count = 0; ; count += 1) {
      const answer = await create(ledger, address, `${round}-${client}-${count}`).catch(() => undefined);
      if (answer === undefined) return;
      expect(answer.status, answer.text).to.equal(201);
    }
  };
  return Promise.all(Array.from({ length: clients }, (_, client) => createOn(client)));
};

const untilAcknowledged = async ({ acknowledged }: Ledger): Promise<void> => {
  const before = acknowledged.length;
  while (acknowledged.length === before) await delay(2);
  await delay(Math.random() * longestRoundMs);
};

const killService = async (databaseUrl: string, kills: number): Promise<void> => {
  const ledger = newLedger();
  for (let round = 0; round < kills; round += 1) {
    const service = await startService(environmentOf(databaseUrl));
    const creates = createUntilCut(ledger, service.address, round);
    await untilAcknowledged(ledger);
    service.signal('SIGKILL');
    expect(await service.ended).to.include({ signal: 'SIGKILL' });
    await creates;
  }
  const service = await startService(environmentOf(databaseUrl));
  await expectStored(service, ledger);
  expect((await service.stop()).code).to.equal(0);
};

describe('A 201', () => {
  afterEach(killServices);

  it('survives kill -9 during creates, on SQLite', () =>
    inFolder(async (folder) => {
      const file = `${folder}/animals.sqlite3`;
      await killService(`sqlite:${file}`, 20);
      expect(await integrityOf(file)).to.deep.equal(['ok']);
    }));

  it('survives kill -9 during creates, on PostgreSQL', () =>
    withOwnPostgres(({ url }) => killService(url, 10)));
});
