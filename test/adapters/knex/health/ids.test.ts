import { expect } from 'chai';
import {
  type OpenedDatabase,
  knexPetRepository,
  knexReadiness,
  migrate,
  openPostgres,
  readSchema,
  runDoctorChecks,
} from '../../../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { success } from '../../../contracts/outcome';
import {
  postgresDatabase,
  sqliteFile,
  withDatabase,
  withEmptyDatabase,
} from '../../../support/databases/databases';
import { execute, withRole } from '../../../support/postgres/postgres';

const notReady = 'the ids of the next animals are taken or used up';

const create = (database: OpenedDatabase): Promise<unknown> =>
  success(knexPetRepository(database).create(arbitraryNewPet()));

const adviceOf = async (database: OpenedDatabase): Promise<string> => {
  const schema = await success(readSchema(database));
  const inspected = await runDoctorChecks(database, schema)();
  return inspected._tag === 'Left' ? String(inspected.left.cause) : '';
};

/** Runs the statement that `doctor` advises. */
const repair = async (database: OpenedDatabase): Promise<void> => {
  const [, statement] = / run(?: as the owner of the tables)?: (.*)$/.exec(await adviceOf(database)) ?? [];
  if (statement === undefined) throw new Error(`no statement in: ${await adviceOf(database)}`);
  await database.writePool.raw(statement);
};

const addPets = (database: OpenedDatabase, from: number, to: number): Promise<unknown> =>
  database.writePool('pets').insert(
    Array.from({ length: to - from + 1 }, (_, place) => ({
      id: from + place,
      name: 'restored',
      category_id: 1,
    })),
  );

const last = '9223372036854775807';

/** Statements after which a create gets no id, and a part of the advice that `doctor` gives about it. */
const faults = [
  [
    'PostgreSQL',
    'a sequence behind the data',
    postgresDatabase,
    "select setval('pets_id_seq', 1, false)",
    'behind',
  ],
  [
    'PostgreSQL',
    'a sequence at its maximum',
    postgresDatabase,
    `select setval('pets_id_seq', ${last})`,
    'no id is left',
  ],
  [
    'SQLite',
    'a sequence at its maximum',
    sqliteFile,
    `insert into sqlite_sequence values ('pets', ${last})`,
    'no id is left',
  ],
] as const;

for (const [kind, name, makeDatabase, statement, advice] of faults) {
  describe(`${name} of ${kind}`, () => {
    it('makes the database not ready before a create fails, and doctor names the statement that repairs it', () =>
      withDatabase<OpenedDatabase>(makeDatabase, async (database) => {
        await addPets(database, 1, 30);
        if (kind === 'SQLite') await database.writePool('sqlite_sequence').where({ name: 'pets' }).delete();
        await database.writePool.raw(statement);
        expect(await knexReadiness(database)()).to.equal(notReady);
        expect(await adviceOf(database)).to.include(advice);
        expect(await knexPetRepository(database).create(arbitraryNewPet())()).to.have.property(
          '_tag',
          'Left',
        );
        await repair(database);
        expect(await knexReadiness(database)()).to.equal(undefined);
        await create(database);
      }));
  });
}

describe('The ids of a database', () => {
  it('are ready on PostgreSQL for a next id that was set after the data', () =>
    withDatabase(postgresDatabase, async (database) => {
      await addPets(database, 1, 30);
      await database.writePool.raw("select setval('pets_id_seq', 31, false)");
      expect(await knexReadiness(database)()).to.equal(undefined);
      expect(await adviceOf(database)).to.equal('');
      await create(database);
    }));

  it('are repaired without the id of a deleted animal, which a retry may still ask for', () =>
    withDatabase(postgresDatabase, async (database) => {
      await addPets(database, 1, 3);
      await database.writePool.raw("select setval('pets_id_seq', 10)");
      const repository = knexPetRepository(database);
      const { pet } = await success(
        repository.create(arbitraryNewPet(), { idempotency: arbitraryScopedIdempotencyKey() }),
      );
      await database
        .writePool('pets')
        .where({ id: String(pet.id) })
        .delete();
      await database.writePool.raw("select setval('pets_id_seq', 1, false)");
      await repair(database);
      expect((await success(repository.create(arbitraryNewPet()))).pet.id).to.equal(pet.id + 1n);
    }));

  it('are ready on PostgreSQL before a distant animal, which doctor reports', () =>
    withDatabase(postgresDatabase, async (database) => {
      await addPets(database, 10_000, 10_000);
      expect(await knexReadiness(database)()).to.equal(undefined);
      expect(await adviceOf(database)).to.include('the sequence pets_id_seq is behind the ids');
    }));

  it('are ready on PostgreSQL for a role that may not read the sequence', () =>
    withEmptyDatabase(postgresDatabase, async (owner, _open, url) => {
      await success(migrate(owner));
      await withRole(url, async (asRole, role) => {
        await execute(
          url,
          `grant select, insert, update, delete on all tables in schema public to ${role}`,
          `grant usage on all sequences in schema public to ${role}`,
        );
        const database = openPostgres(asRole.href, { poolSize: 2, statementTimeoutMs: 3_000 });
        expect(await knexReadiness(database)()).to.equal(undefined);
        await create(database).finally(database.close);
      });
    }));

  it('follow those of SQLite, however far its sequence is behind', () =>
    withDatabase(sqliteFile, async (database) => {
      await addPets(database, 1, 30);
      await database.writePool('sqlite_sequence').where({ name: 'pets' }).update({ seq: 1 });
      expect(await knexReadiness(database)()).to.equal(undefined);
      const { pet } = await success(knexPetRepository(database).create(arbitraryNewPet()));
      expect(pet.id).to.equal(31n);
    }));
});
