import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  apiKeyStore,
  type Database,
  knexAuthenticate,
  knexPetRepository,
  knexReadiness,
  migrate,
  openPostgres,
} from '../../../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { withDatabase } from '../../../support/databases/databases';
import { createPostgresDatabase, execute, type PostgresDatabase } from '../../../support/postgres/postgres';
import { success } from '../../../contracts/outcome';
import { projectFolder } from '../../../support/processes/command';

const limits = { poolSize: 2, statementTimeoutMs: 3_000 };

const script = readFileSync(join(projectFolder, 'deploy/postgres/grants.sql'), 'utf8');

/** Statements of the script that grant rights to a role. */
const grants = [...script.matchAll(/^(?:grant|alter default privileges) .* to :"role";$/gm)].map(
  ([line]) => line,
);

describe('A role of PostgreSQL that may make no table', () => {
  it('serves a store that is migrated and has a key, by the grants of deploy/postgres, also with a later table', async () => {
    expect(grants).to.have.lengthOf(4);
    const { url, drop } = await createPostgresDatabase();
    const role = `few_${randomBytes(8).toString('hex')}`;
    const asRole = new URL(url);
    asRole.username = asRole.password = role;
    try {
      await withDatabase(
        () =>
          Promise.resolve({
            databaseUrl: url,
            open: () => openPostgres(url, limits),
            remove: () => Promise.resolve(),
          }),
        async (owners) => {
          const { key } = await success(apiKeyStore(owners).issue('shop'));
          await execute(
            url,
            `create role ${role} login password '${role}'`,
            ...grants.map((grant) => grant.replace(':"role"', role)),
          );
          const database = openPostgres(asRole.href, limits);
          try {
            expect(await success(migrate(database))).to.deep.equal([]);
            expect(await success(apiKeyStore(database).bootstrapKey('first'))).to.equal(undefined);
            await success(knexAuthenticate(database)(key));
            const { create } = knexPetRepository(database);
            const [newPet, retried] = [arbitraryNewPet(), arbitraryScopedIdempotencyKey()];
            for (const replayed of [false, true])
              expect(await success(create(newPet, retried))).to.include({ replayed });
            expect(await knexReadiness(database)()).to.equal(undefined);

            // The new table stands for one of a later version.
            await execute(url, 'create table later (id bigserial primary key, name text)');
            await database.writes('later').insert({ name: 'Rex' });
            expect(await database.reads('later').pluck('name')).to.deep.equal(['Rex']);
            await database.writes('later').update({ name: 'Tom' });
            expect(await database.writes('later').delete()).to.equal(1);
          } finally {
            await database.close();
          }
        },
      );
    } finally {
      await execute(url, `drop owned by ${role}`, `drop role ${role}`);
      await drop();
    }
  });
});

describe('A PostgreSQL schema', () => {
  let server: PostgresDatabase;
  let opened: Array<Database>;

  beforeEach(async () => {
    server = await createPostgresDatabase();
    opened = [];
  });

  afterEach(async () => {
    await Promise.all(opened.map(({ close }) => close()));
    await server.drop();
  });

  const open = (url: string, schema?: string): Database => {
    const database = openPostgres(url, schema === undefined ? limits : { ...limits, schema });
    opened.push(database);
    return database;
  };

  const schemasWith = (table: string, { reads }: Database): Promise<ReadonlyArray<string>> =>
    reads('pg_tables').where({ tablename: table }).orderBy('schemaname').pluck<Array<string>>('schemaname');

  it('of its own keeps the store beside a host whose tables have the same names', async () => {
    const host = open(server.url);
    await host.writes.schema.createTable('pets', (table) => table.text('of_the_host'));
    const store = open(server.url, 'animals');
    expect(await success(migrate(store))).to.include('001_create_tables');
    expect(await knexReadiness(store)()).to.equal(undefined);
    for (const table of ['api_keys', 'animal_store_migrations']) {
      expect(await schemasWith(table, store), table).to.deep.equal(['animals']);
    }
    expect(await success(migrate(open(server.url, 'animals')))).to.deep.equal([]);
  });

  it('can stand in the address, where it is there already', async () => {
    await open(server.url).writes.raw('create schema zoo');
    const store = open(`${server.url}?options=-c%20search_path%3Dzoo`);
    await success(migrate(store));
    expect(await knexReadiness(store)()).to.equal(undefined);
    expect(await schemasWith('pets', store)).to.deep.equal(['zoo']);
  });
});
