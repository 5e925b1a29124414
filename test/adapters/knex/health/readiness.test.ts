import { expect } from 'chai';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  apiKeyStore,
  databaseStatus,
  knexReadiness,
  openPostgres,
  DiagnosedError,
  readSchema,
  runDoctorChecks,
} from '../../../../adapters/knex';
import { checkGroups } from '../../../../adapters/knex/health/serving-checks';
import {
  databaseKinds,
  postgresDatabase,
  sqliteFile,
  withDatabase,
  withEmptyDatabase,
} from '../../../support/databases/databases';
import { eventually } from '../../../support/eventually';
import { success } from '../../../contracts/outcome';
import { fakeTimeouts } from '../../../support/fake-timers';

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`the readiness of ${kind}`, () => {
    it('costs at most one commit a second for any number of checks, and is checked again after it', () =>
      withDatabase(makeDatabase, async (database) => {
        let commits = 0;
        database.writePool.on('query', ({ sql }: { sql: string }) => {
          if (sql.includes('heartbeats')) commits += 1;
        });
        const began = performance.now();
        const check = knexReadiness(database);
        const answers = await Promise.all(Array.from({ length: 50 }, () => check()));
        expect(new Set(answers)).to.deep.equal(new Set([undefined]));
        for (let count = 0; count < 50; count += 1) await check();
        expect(commits).to.be.within(1, 1 + Math.floor((performance.now() - began) / 1_000));
        await eventually('it is written again', 20_000, async () => {
          await check();
          return commits > 1;
        });
      }));
  });
}

describe('The readiness of a database that hangs', () => {
  afterEach(() => {
    mock.reset();
  });

  it('begins no other check before the first one has ended, however often it is asked', () =>
    withDatabase(sqliteFile, async (database) => {
      let writes = 0;
      let now = performance.now();
      fakeTimeouts();
      mock.method(performance, 'now', () => now);
      const write = () => {
        writes += 1;
        return new Promise<never>(() => undefined);
      };
      const check = knexReadiness({ ...database, write });
      const answers = [check()];
      for (now += 2_000; writes === 0;) await nextTurn();
      answers.push(check());
      expect(writes).to.equal(1);
      mock.timers.tick(5_000);
      expect(await Promise.race(answers)).to.be.a('string');
      answers.push(check());
      expect(writes).to.equal(2);
      mock.timers.tick(5_000);
      await Promise.all(answers);
    }));
});

describe('The checks of a database', () => {
  afterEach(() => {
    mock.reset();
  });

  it('are all made by doctor, and all but the trial of a create by readiness', () =>
    withDatabase(sqliteFile, async (database) => {
      const ofReadiness = checkGroups.flatMap(({ checks }) => checks);
      const ofDoctor = checkGroups.flatMap(({ checks, doctorChecks = [] }) => [...checks, ...doctorChecks]);
      const made: Array<unknown> = [];
      for (const check of ofDoctor) {
        const { findFault } = check;
        mock.method(check, 'findFault', (...asked: Parameters<typeof findFault>) => {
          made.push(check);
          return findFault(...asked);
        });
      }
      expect(await knexReadiness(database)()).to.equal(undefined);
      expect(made.splice(0)).to.have.members(ofReadiness);
      await success(runDoctorChecks(database, await success(readSchema(database))));
      expect(made).to.deep.equal(ofDoctor);
    }));
});

describe('the reason why a database is not ready', () => {
  for (const code of ['SQLITE_FULL', '53100']) {
    it(`is a full disk: ${code}`, () =>
      withDatabase(sqliteFile, async (database) => {
        const write = () => Promise.reject(Object.assign(new Error('no space'), { code }));
        expect(await knexReadiness({ ...database, write })()).to.match(/^the disk of the database is full/);
      }));
  }

  it('is a full disk, also if only the trial for space fails', () =>
    withDatabase(postgresDatabase, async (database) => {
      const checkSpace = () => Promise.reject(Object.assign(new Error('no space'), { code: '53100' }));
      expect(await knexReadiness({ ...database, checkSpace })()).to.match(
        /^the disk of the database is full/,
      );
    }));

  it('is a write that this program refuses, without its reason, which may have a path', () =>
    withDatabase(sqliteFile, async (database) => {
      const write = () => Promise.reject(new DiagnosedError('/var/lib/animals.sqlite3 is missing'));
      expect(await knexReadiness({ ...database, write })()).to.match(
        /^a write to the table heartbeats fails/,
      );
    }));

  it('is a failed check of the next ids', () =>
    withDatabase(sqliteFile, async (database) => {
      const inspectIds = () => Promise.reject(new Error('no answer'));
      expect(await knexReadiness({ ...database, inspectIds })()).to.match(/^animals can't be read/);
    }));

  it('is a login that PostgreSQL rejects', () =>
    withEmptyDatabase(postgresDatabase, async (_database, _open, url) => {
      const unknown = new URL(url);
      unknown.username = 'nobody_here';
      const database = openPostgres(unknown.href, { poolSize: 1, statementTimeoutMs: 3_000 });
      const reason = await knexReadiness(database)();
      await database.close();
      expect(reason).to.match(/^the database rejects the login/);
    }));
});

const hour = 3_600_000;

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`the status of a database in service, on ${kind}`, () => {
    it('lists owners by the expiry of their last key, without owners of a key that does not expire', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, revoke, rotate } = apiKeyStore(database);
        const [lasting, ending, rotated, revoked, soon] = [
          await success(create('lasting')),
          await success(create('ending', { lifetimeMs: 3 * hour })),
          await success(create('rotated', { lifetimeMs: 2 * hour })),
          await success(create('revoked', { lifetimeMs: 2 * hour })),
          await success(create('soon', { lifetimeMs: hour })),
        ];
        await success(create('over', { lifetimeMs: 0 }));
        await success(rotate(lasting.id, { graceMs: hour }));
        await success(rotate(rotated.id, { graceMs: hour, lifetimeMs: 5 * hour }));
        await success(revoke(revoked.id));

        const { validKeys, endingOwners } = await success(databaseStatus(database));
        expect(validKeys).to.equal(6);
        expect(endingOwners.map(({ owner }) => owner)).to.deep.equal([soon.id, ending.id, rotated.id]);
        const [first, , last] = endingOwners.map(({ endsAt }) => Math.round((endsAt - Date.now()) / hour));
        expect([first, last]).to.deep.equal([1, 5]);
      }));

    it('reports the size of the database', () =>
      withDatabase(makeDatabase, async (database) => {
        const status = await success(databaseStatus(database));
        expect(status.databaseSize).to.be.at.least(4_096);
        if (kind === 'PostgreSQL') expect(status).to.not.have.any.keys('writeAheadLogSize', 'diskAvailable');
        else {
          expect(status.writeAheadLogSize).to.be.above(0);
          expect(status.diskAvailable).to.be.above(0);
        }
      }));
  });
}
