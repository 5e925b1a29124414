import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { integrityOf } from '../../support/databases/sqlite-files';
import { allPets, environmentOf, isReplay, owner } from '../../support/http/client';
import { withOwnPostgres } from '../../support/postgres/postgres-server';
import { killServices, startService } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { fault, type Figures } from '../support/fault';
import { create, expectStored, type Ledger, newLedger } from '../support/ledger';

const clients = 64;

const longestRoundMs = 400;

interface CreateOptions {
  readonly isKeyed?: boolean;
  /** True if the database fails too: then a 503 is expected. */
  readonly mayFail?: boolean;
}

/** Runs 64 clients that create until the service has ended. Returns the names of the creates without a response. */
const createUntilCut = (
  ledger: Ledger,
  address: string,
  round: number,
  { isKeyed = false, mayFail = false }: CreateOptions = {},
): Promise<ReadonlyArray<string>> => {
  const createOn = async (client: number): Promise<string> => {
    for (let count = 0; ; count += 1) {
      const name = `${round}-${client}-${count}`;
      const answer = await create(ledger, address, name, { isKeyed }).catch(() => undefined);
      if (answer === undefined) return name;
      expect(answer.status, answer.text).to.be.oneOf(mayFail ? [201, 503] : [201]);
      expect(isReplay(answer), 'a replay').to.equal(false);
      if (answer.status !== 201) await delay(Math.random() * 100);
    }
  };
  return Promise.all(Array.from({ length: clients }, (_, client) => createOn(client)));
};

const untilAcknowledged = async ({ acknowledged }: Ledger): Promise<void> => {
  const before = acknowledged.length;
  while (acknowledged.length === before) await delay(2);
  await delay(Math.random() * longestRoundMs);
};

const killService = async (databaseUrl: string, kills: number, ledger: Ledger): Promise<void> => {
  for (let round = 0; round < kills; round += 1) {
    const service = await startService(environmentOf(databaseUrl));
    const creates = createUntilCut(ledger, service.address, round);
    await untilAcknowledged(ledger);
    service.signal('SIGKILL');
    expect(await service.ended).to.include({ signal: 'SIGKILL' });
    await creates;
  }
};

const expectAllStored = async (databaseUrl: string, kills: number, ledger: Ledger): Promise<Figures> => {
  const service = await startService(environmentOf(databaseUrl));
  const { stored, lost, twice } = await expectStored(service, ledger);
  expect((await service.stop()).code).to.equal(0);
  const acknowledged = ledger.acknowledged.length;
  const counts = { kills, clients, sent: ledger.sent.size, acknowledged };
  return { ...counts, 'stored without an answer': stored - acknowledged, lost, twice };
};

describe('A 201', () => {
  afterEach(killServices);

  fault('survives kill -9 right after it, on SQLite', () =>
    inFolder(async (folder) => {
      const environment = environmentOf(`sqlite:${folder}/animals.sqlite3`);
      const ledger = newLedger();
      for (const name of ['one', 'two']) {
        const service = await startService(environment);
        await create(ledger, service.address, name);
        service.signal('SIGKILL');
        expect(await service.ended).to.include({ signal: 'SIGKILL' });
      }
      const { address } = await startService(environment);
      expect(await allPets({ address, key: owner })).to.deep.equal(ledger.acknowledged);
      return { kills: 2, animals: ledger.sent.size };
    }),
  );

  fault('survives kill -9 during creates, on SQLite', () =>
    inFolder(async (folder) => {
      const file = `${folder}/animals.sqlite3`;
      const ledger = newLedger();
      await killService(`sqlite:${file}`, 50, ledger);
      const figures = await expectAllStored(`sqlite:${file}`, 50, ledger);
      expect(await integrityOf(file)).to.deep.equal(['ok']);
      return { ...figures, integrity_check: 'ok' };
    }),
  );

  fault('survives kill -9 during creates, on PostgreSQL', () =>
    withOwnPostgres(async ({ url }) => {
      const ledger = newLedger();
      await killService(url, 10, ledger);
      return expectAllStored(url, 10, ledger);
    }),
  );

  fault('survives kill -9 of the PostgreSQL server during creates', () =>
    withOwnPostgres(async ({ url, kill, start }) => {
      const kills = 5;
      const ledger = newLedger();
      const service = await startService(environmentOf(url));
      const creates = createUntilCut(ledger, service.address, 0, { mayFail: true });
      for (let round = 0; round < kills; round += 1) {
        await untilAcknowledged(ledger);
        await kill();
        await start();
      }
      service.signal('SIGKILL');
      await service.ended;
      await creates;
      return expectAllStored(url, kills, ledger);
    }),
  );
});

describe('A keyed create without a response', () => {
  afterEach(killServices);

  fault('is stored once by its retry after kill -9, on SQLite', () =>
    inFolder(async (folder) => {
      const kills = 20;
      const file = `${folder}/animals.sqlite3`;
      const ledger = newLedger();
      let cut: ReadonlyArray<string> = [];
      let retried = 0;
      let replays = 0;
      const startAndRetry = async () => {
        const service = await startService(environmentOf(`sqlite:${file}`));
        const retry = (name: string) => create(ledger, service.address, name, { isKeyed: true });
        const answers = await Promise.all(cut.map(retry));
        expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set(cut.map(() => 201)));
        retried += answers.length;
        replays += answers.filter(isReplay).length;
        return service;
      };
      for (let round = 0; round < kills; round += 1) {
        const service = await startAndRetry();
        const creates = createUntilCut(ledger, service.address, round, { isKeyed: true });
        await untilAcknowledged(ledger);
        service.signal('SIGKILL');
        await service.ended;
        cut = await creates;
      }
      const { address, stop } = await startAndRetry();
      const { stored, lost, twice } = await expectStored({ address }, ledger);
      expect(stored, 'animals').to.equal(ledger.sent.size);
      await stop();
      expect(await integrityOf(file)).to.deep.equal(['ok']);
      const sent = ledger.sent.size;
      return { kills, clients, sent, retried, 'stored before the retry': replays, lost, twice };
    }),
  );
});
