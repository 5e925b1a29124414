import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import {
  type Database,
  inspectDatabase,
  knexPetRepository,
  knexReadiness,
  migrate,
  openPostgresForInspection,
} from '../../../../adapters/knex';
import { decodeOrThrow, NewPet } from '../../../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import {
  databaseKinds,
  forInspection,
  postgresWith,
  sqliteFile,
  withDatabase,
  withEmptyDatabase,
} from '../../../support/databases/databases';
import { execute } from '../../../support/postgres/postgres';
import { success } from '../../../contracts/outcome';

const limits = { poolSize: 2, statementTimeoutMs: 3_000 };

/** Statements that make a database reject creates, by the fault that they cause. */
type Faults = Readonly<Record<string, ReadonlyArray<string>>>;

const onSqlite: Faults = {
  'the records of idempotency keys are gone': ['drop table creation_keys'],
  'a trigger refuses new animals': [
    "create trigger refuse before insert on pets begin select raise(abort, 'no'); end",
  ],
  'animals are a view': ['alter table pets rename to others', 'create view pets as select * from others'],
  'every id is used up': ["insert into pets (id, name, category_id) values (9223372036854775807, 'last', 1)"],
};

const onPostgres: Faults = {
  'the records of idempotency keys are gone': ['drop table creation_keys'],
  'a column that no program knows must have a value': [
    'alter table pets add column colour text not null default 1',
    'alter table pets alter colour drop default',
  ],
  'a trigger changes new animals': [
    `create function change() returns trigger language plpgsql as
       $$ begin new.category_id = 12; return new; end $$`,
    'create trigger change before insert on pets for each row execute function change()',
  ],
  'every id is used up': ["select setval('pets_id_seq', 9223372036854775807)"],
  'arrays take no null': [
    `do $$ begin execute format('alter database %I set array_nulls = off', current_database()); end $$`,
  ],
};

/** Rights to revoke from a role, and what the inspection must report then. */
const onRights: Readonly<Record<string, readonly [revocation: string, remedy: RegExp]>> = {
  'no right to take ids': [
    'revoke usage on sequence pets_id_seq',
    /lacks rights; run: grant usage on sequence pets_id_seq to few_\w+;$/,
  ],
  'no right to add animals': ['revoke insert on pets', /lacks rights; run: grant insert on pets to few_/],
  'no right to add and lock idempotency keys': [
    'revoke insert, update on creation_keys',
    /grant insert, update on creation_keys to few_/,
  ],
  'no right to lock idempotency keys': ['revoke update on creation_keys', /grant update on creation_keys/],
  'no right to free idempotency keys': ['revoke delete on creation_keys', /grant delete on creation_keys/],
};

/** Creates an animal without a status, which a database may reject as null, and retries the create. */
const createTwice = async (database: Database): Promise<ReadonlyArray<string>> => {
  const { create } = knexPetRepository(database);
  const newPet = decodeOrThrow(NewPet, { name: 'Rex', categoryId: 7 });
  const key = arbitraryScopedIdempotencyKey();
  const outcomes = [await create(newPet, key)(), await create(newPet, key)()];
  return outcomes.map(({ _tag }) => _tag);
};

const inspect = (database: Database) => inspectDatabase(forInspection(database))();

const expectRefusal = async (database: Database, fault: string): Promise<void> => {
  expect(await createTwice(database), fault).to.include('Left');
  expect(await knexReadiness(database)(), fault).to.equal(
    'adding a test animal fails; run `animal-store doctor`',
  );
  expect(await inspect(database), fault).to.have.property('_tag', 'Left');
};

const smallPostgres = postgresWith(limits);

describe('A database that refuses creates', () => {
  for (const [fault, statements] of Object.entries(onSqlite)) {
    it(`is not ready and fails the inspection on SQLite: ${fault}`, () =>
      withDatabase(sqliteFile, async (database) => {
        for (const statement of statements) await database.writes.raw(statement);
        await expectRefusal(database, fault);
      }));
  }

  for (const [fault, statements] of Object.entries(onPostgres)) {
    it(`is not ready and fails the inspection on PostgreSQL: ${fault}`, () =>
      withEmptyDatabase(smallPostgres, async (owner, open, url) => {
        await success(migrate(owner));
        await execute(url, ...statements);
        await expectRefusal(open(), fault);
      }));
  }

  it('is not ready and fails the inspection on PostgreSQL for each right that is missing', () =>
    withEmptyDatabase(smallPostgres, async (owner, _open, url) => {
      await success(migrate(owner));
      const role = `few_${randomBytes(8).toString('hex')}`;
      const asRole = new URL(url);
      asRole.username = asRole.password = role;
      const grants = [
        `grant select, insert, update, delete on all tables in schema public to ${role}`,
        `grant usage on sequence pets_id_seq to ${role}`,
      ];
      await execute(url, `create role ${role} login password '${role}'`);
      const database = openPostgresForInspection(asRole.href, limits);
      const inspection = inspectDatabase(database, { countsRequests: true });
      try {
        for (const [fault, [revocation, remedy]] of Object.entries(onRights)) {
          await execute(url, ...grants, `${revocation} from ${role}`);
          await expectRefusal(database, fault);
          expect(await inspection(), fault)
            .to.have.nested.property('left.cause.message')
            .that.matches(remedy);
        }
        await execute(url, ...grants, `revoke select on pets from ${role}`);
        expect(await inspection())
          .to.have.nested.property('left.cause.message')
          .that.includes(`grant select on pets to ${role}`);
        await execute(url, ...grants, `revoke insert on rate_limits from ${role}`);
        expect(await inspection())
          .to.have.nested.property('left.cause.message')
          .that.includes(`grant insert on rate_limits to ${role}`);
        expect(await inspectDatabase(database)()).to.have.property('_tag', 'Right');
        expect(await knexReadiness(database)()).to.equal(undefined);
      } finally {
        await database.close();
        await execute(url, `drop owned by ${role}`, `drop role ${role}`);
      }
    }));
});

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`A ${kind} database before the first start`, () => {
    const withEmpty = (test: (database: Database) => Promise<void>): Promise<void> =>
      withEmptyDatabase(makeDatabase, async (database) => {
        // SQLite creates the file with the first connection.
        await database.writes.raw('select 1');
        await test(database);
      });

    for (const table of ['pets', 'api_keys']) {
      it(`fails the inspection if it has a table ${table} of another program`, () =>
        withEmpty(async (database) => {
          await database.writes.schema.createTable(table, (columns) => columns.text('of_others'));
          const outcome = await inspect(database);
          expect(outcome).to.have.nested.property('left._tag', 'MigrationFailed');
          expect(outcome).to.have.nested.property('left.cause.message').that.includes(table);
        }));
    }

    it('fails the inspection if the record of its migrations is lost', () =>
      withDatabase(makeDatabase, async (database) => {
        await database.writes('animal_store_migrations').delete();
        expect(await inspect(database)).to.have.nested.property('left._tag', 'MigrationFailed');
      }));

    it('passes the inspection if it is empty, and stays empty', () =>
      withEmpty(async (database) => {
        expect(await inspect(database)).to.have.property('_tag', 'Right');
        expect(await database.reads.schema.hasTable('pets')).to.equal(false);
        expect(await database.reads.schema.hasTable('animal_store_migrations')).to.equal(false);
      }));
  });

  describe(`The trial of a create on ${kind}`, () => {
    it('leaves nothing behind and uses up no id', () =>
      withDatabase(makeDatabase, async (database) => {
        for (let count = 0; count < 3; count += 1) {
          expect(await knexReadiness(database)()).to.equal(undefined);
          expect(await inspect(database)).to.have.property('_tag', 'Right');
        }
        for (const table of ['pets', 'creation_keys'])
          expect(await database.reads(table).first(database.reads.raw('1'))).to.equal(undefined);
        const { pet } = await success(knexPetRepository(database).create(arbitraryNewPet()));
        expect(pet.id).to.equal(1n);
      }));
  });
}

describe('A database on a full disk', () => {
  it('fails the inspection, and nothing is written', () =>
    withDatabase(sqliteFile, async (database) => {
      const sizes = async () => ({ ...(await database.sizes()), diskAvailable: 8_000_000 });
      expect(await inspect({ ...database, sizes }))
        .to.have.nested.property('left.cause.message')
        .that.equals('ENOSPC: only 8000000 bytes are free');
      expect(await database.reads('heartbeats').first('id')).to.equal(undefined);
    }));
});
