import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  apiKeyStore,
  changeLog,
  knexAuthenticate,
  knexPetRepository,
  knexReadiness,
  migrate,
  openPostgres,
} from '../../../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { postgresDatabase, withEmptyDatabase } from '../../../support/databases/databases';
import { execute, withRole } from '../../../support/postgres/postgres';
import { success } from '../../../contracts/outcome';
import { requiredRights } from '../../../../adapters/knex/postgres/checks';
import { projectFolder } from '../../../support/processes/command';

const limits = { poolSize: 2, statementTimeoutMs: 3_000 };

const script = readFileSync(join(projectFolder, 'deploy/postgres/grants.sql'), 'utf8');

/** Statements of the script that grant rights to a role. */
const grants = [...script.matchAll(/^(?:grant|alter default privileges) .* to :"role";$/gm)].map(
  ([line]) => line,
);

/** Statements that make the server report another process id than the driver was told, as behind a pooler. */
const likePooler = (url: string): ReadonlyArray<string> => [
  `create function pg_backend_pid() returns integer language sql as 'select -1'`,
  `alter database ${new URL(url).pathname.slice(1)} set search_path = public, pg_catalog`,
];

describe('A role of PostgreSQL from which row-level security hides animals', () => {
  it('gets an error behind a pooler, too, where a session can not be told to fail', () =>
    withEmptyDatabase(postgresDatabase, async (owners, _open, url) => {
      await success(migrate(owners));
      await withRole(url, async (asRole, role) => {
        await execute(
          url,
          ...grants.map((grant) => grant.replace(':"role"', role).replace(':"schema"', 'public')),
          ...likePooler(url),
        );
        const list = async () => {
          const database = openPostgres(asRole.href, limits);
          return knexPetRepository(database).list({ limit: 1 })().finally(database.close);
        };
        expect(await list()).to.have.property('_tag', 'Right');
        await execute(url, 'alter table pets enable row level security');
        expect(await list())
          .to.have.nested.property('left.cause.message')
          .that.equals('row-level security is active on pets');
      });
    }));
});

describe('A role of PostgreSQL that may make no table', () => {
  it('serves a store that is migrated and has a key, by the grants of deploy/postgres, also with a later table', () =>
    withEmptyDatabase(postgresDatabase, async (owners, _open, url) => {
      expect(grants).to.have.lengthOf(5);
      for (const right of new Set(Object.values(requiredRights).flat()))
        expect(grants.join('\n')).to.match(
          new RegExp(`^grant .*\\b${right}\\b.* on all (tables|sequences) `, 'm'),
        );
      await success(migrate(owners));
      const { key } = await success(apiKeyStore(owners).create('shop'));
      await withRole(url, async (asRole, role) => {
        await execute(
          url,
          ...grants.map((grant) => grant.replace(':"role"', role).replace(':"schema"', 'public')),
        );
        const database = openPostgres(asRole.href, limits);
        expect(await success(migrate(database))).to.deep.equal([]);
        expect(await success(apiKeyStore(database).bootstrapKey('first'))).to.equal(undefined);
        await success(knexAuthenticate(database)(key));
        const { create } = knexPetRepository(database);
        const [newPet, retried] = [arbitraryNewPet(), arbitraryScopedIdempotencyKey()];
        for (const replayed of [false, true])
          expect(await success(create(newPet, { idempotency: retried }))).to.include({ replayed });
        expect(await knexReadiness(database)()).to.equal(undefined);

        // The new table stands for a table of a later version.
        await execute(url, 'create table later (id bigserial primary key, name text)');
        await database.writePool('later').insert({ name: 'Rex' });
        expect(await database.readPool('later').pluck('name')).to.deep.equal(['Rex']);
        await database.writePool('later').update({ name: 'Tom' });
        expect(await database.writePool('later').delete()).to.equal(1);
        await database.close();
      });
    }));
});

describe('A PostgreSQL schema in the address', () => {
  it('keeps the store next to a host whose tables have the same names', () =>
    withEmptyDatabase(postgresDatabase, async (host, _open, url) => {
      await host.writePool.schema.createTable('pets', (table) => table.text('of_the_host'));
      await host.writePool.raw('create schema zoo');
      const store = openPostgres(`${url}?options=-c%20search_path%3Dzoo`, limits);
      try {
        expect(await success(migrate(store))).to.include('001_create_tables');
        expect(await success(migrate(store))).to.deep.equal([]);
        expect(await knexReadiness(store)()).to.equal(undefined);
        const tables = ['api_keys', 'animal_store_migrations'];
        const schemas: ReadonlyArray<unknown> = await store
          .readPool('pg_tables')
          .whereIn('tablename', tables)
          .pluck('schemaname');
        expect(schemas).to.deep.equal(['zoo', 'zoo']);
      } finally {
        await store.close();
      }
    }));
});

describe('The schema behind a pooler', () => {
  it('is named by each statement, because other clients change the search path, whatever the address contains', () =>
    withEmptyDatabase(postgresDatabase, async (owners, _open, url) => {
      await success(migrate(owners));
      await execute(url, ...likePooler(url));
      const database = openPostgres(`${url}?application_name=search_path`, { ...limits, poolSize: 1 });
      const { list, create } = knexPetRepository(database);
      try {
        await success(list({ limit: 1 }));
        await database.readPool.raw("set search_path = ''");
        const newPet = arbitraryNewPet();
        const { pet } = await success(create(newPet, { idempotency: arbitraryScopedIdempotencyKey() }));
        expect(await success(list({ limit: 9 }))).to.have.deep.property('pets', [pet]);
        expect(await knexReadiness(database)()).to.equal(undefined);
        expect(await database.currentSchema()).to.equal('public');
        expect(await database.inspect())
          .to.have.nested.property('[0].text')
          .that.includes('schema public');
        await success(apiKeyStore(database).create('shop'));
        expect(await success(changeLog(database).ofPet(pet.id))).to.have.nested.property('creation.petId');
      } finally {
        await database.close();
      }
    }));
});
