import { expect } from 'chai';
import { constVoid } from 'fp-ts/function';
import { setImmediate } from 'node:timers/promises';
import { EventEmitter, once } from 'node:events';
import { knexPetMaintenance, knexPetRepository } from '../../../../adapters/knex';
import { type PetRepository } from '../../../../core';
import { arbitraryNewPet } from '../../../contracts';
import {
  postgresDatabase,
  sqliteFile,
  type TestDatabase,
  withDatabase,
  withDatabases,
  withStatements,
} from '../../../support/databases/databases';
import { alterTables } from '../../../support/postgres/postgres';
import { success } from '../../../contracts/outcome';
import { sourceOf } from '../../../contracts/source-of';

/** Statements that make the commit of a transaction fail, but not its other statements. */
const refuseCommits = [
  'create table noted (id bigint)',
  `create function refuse() returns trigger language plpgsql as $$ begin raise 'not today'; end $$`,
  `create constraint trigger refuse after insert on noted deferrable initially deferred
    for each row execute function refuse()`,
  `create function note() returns bigint language plpgsql as $$ begin
     insert into noted values (1);
     return 1;
   end $$`,
  'alter table pets add column note bigint',
  'alter table pets alter column note set default note()',
];

describe('An import into PostgreSQL whose commit fails', () => {
  it('is not taken for stored', () =>
    withDatabase(postgresDatabase, async (database) => {
      const { importAll } = knexPetMaintenance(database);
      await alterTables(database, ...refuseCommits);
      const outcome = await importAll(sourceOf([arbitraryNewPet(), arbitraryNewPet()]))();
      expect(outcome).to.have.property('_tag', 'Left');
      expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
      expect(outcome).to.have.nested.property('left.cause.message', 'not today');
      expect(await database.readPool('pets').pluck('id')).to.deep.equal([]);

      await alterTables(database, 'drop trigger refuse on noted');
      expect((await success(importAll(sourceOf([arbitraryNewPet()])))).count).to.equal(1);
    }));
});

describe('An import into SQLite', () => {
  it('leaves the cache of the connection as it was, also if it fails', () =>
    withDatabase(sqliteFile, async (database) => {
      const cache = async (): Promise<unknown> => database.writePool.raw('PRAGMA cache_size');
      await database.writePool.raw('PRAGMA cache_size = -3000');
      const before = await cache();
      const { importAll } = knexPetMaintenance(database);
      await success(importAll(sourceOf([arbitraryNewPet()])));
      expect(await cache()).to.deep.equal(before);
      const failing = sourceOf([arbitraryNewPet()], () => Promise.reject(new Error('unreadable')));
      expect(await importAll(failing)()).to.have.property('_tag', 'Left');
      expect(await cache()).to.deep.equal(before);
    }));
});

describe('An import whose connection is kept awake', () => {
  it('ends when the connection is lost, also while its source is silent', () =>
    withDatabases(2, postgresDatabase, async (database, other) => {
      const silent = sourceOf([arbitraryNewPet()], async () => {
        await other.writePool.raw(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and state = 'idle in transaction'`);
        await new Promise(constVoid);
      });
      const outcome = await knexPetMaintenance(database).importAll(silent)();
      expect(outcome).to.have.nested.property('left._tag', 'ImportAborted');
    }));

  it('reads no more of its source after it has failed', () =>
    withDatabases(2, postgresDatabase, async (database, other) => {
      let read = 0;
      const events = new EventEmitter();
      const [failed, closed] = [once(events, 'failed'), once(events, 'closed')];
      const source = (async function* () {
        try {
          yield arbitraryNewPet();
          await other.writePool.raw(`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and state = 'idle in transaction'`);
          await failed;
          for (; ; read += 1) yield arbitraryNewPet();
        } finally {
          events.emit('closed');
        }
      })();
      const outcome = await knexPetMaintenance(database).importAll(source)();
      expect(outcome).to.have.nested.property('left._tag', 'ImportAborted');
      events.emit('failed');
      await closed;
      expect(read).to.equal(0);
    }));

  it('closes its source after a failed statement, also if the next batch was read by then', () =>
    withDatabase(postgresDatabase, async (database) => {
      for (let round = 0; round < 10; round += 1) {
        const events = new EventEmitter();
        const closed = once(events, 'closed');
        const failing = withStatements(database, {
          insert: async () => {
            await setImmediate();
            throw new Error('no insert');
          },
        });
        const source = (async function* () {
          try {
            for (;;) yield await Promise.resolve(arbitraryNewPet());
          } finally {
            events.emit('closed');
          }
        })();
        const outcome = await knexPetMaintenance(failing).importAll(source)();
        expect(outcome).to.have.nested.property('left._tag', 'ImportAborted');
        await closed;
      }
    }));

  it('is not taken for stored when that is cancelled by PostgreSQL just before the commit', () =>
    withDatabase(postgresDatabase, async (database) => {
      const cancelled = withStatements(database, {
        insert: async (transaction, newPets) => {
          const rows = await database.statements.insert(transaction, newPets);
          await transaction.raw('select 1 / 0').catch(constVoid);
          return rows;
        },
      });
      const outcome = await knexPetMaintenance(cancelled).importAll(sourceOf([arbitraryNewPet()]))();
      expect(outcome).to.have.nested.property('left._tag', 'ImportAborted');
      expect(await database.readPool('pets').pluck('id')).to.deep.equal([]);
    }));
});

/** Yields more than two batches of animals, and calls a function before the end. */
async function* slowly(meanwhile: () => Promise<void>) {
  yield* Array.from({ length: 6_001 }, arbitraryNewPet);
  await meanwhile();
}

describe('While an import takes its time, another instance', function () {
  /**
   * Runs a test on one instance while another instance has inserted but not committed the first animals of an import.
   */
  const amidImport = (
    makeDatabase: () => Promise<TestDatabase>,
    test: (other: PetRepository) => Promise<void>,
  ): Promise<void> =>
    withDatabases(2, makeDatabase, async (one, two) => {
      const [importer, other] = [knexPetMaintenance(one), knexPetRepository(two)];
      expect((await success(importer.importAll(slowly(() => test(other))))).count).to.equal(6_001);
      expect((await success(other.create(arbitraryNewPet()))).pet.id > 6_001n).to.equal(true);
    });

  const firstPage = { limit: 20 };

  it('creates and lists on PostgreSQL', () =>
    amidImport(postgresDatabase, async ({ create, list }) => {
      const { pet } = await success(create(arbitraryNewPet()));
      expect((await success(list(firstPage))).pets).to.deep.equal([pet]);
    }));

  it('lists on SQLite, while its creations are Unavailable', () =>
    amidImport(sqliteFile, async ({ create, list }) => {
      expect(await create(arbitraryNewPet())()).to.have.nested.property('left._tag', 'Unavailable');
      expect((await success(list(firstPage))).pets).to.deep.equal([]);
    }));
});
