import { expect } from 'chai';
import { type Database, knexReadiness, migrate, openPostgres } from '../../../../adapters/knex';
import { createPostgresDatabase, type PostgresDatabase } from '../../../support/postgres/postgres';
import { run } from '../../../support/run';

const limits = { poolSize: 2, statementTimeoutMs: 3_000 };

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
    expect(await run(migrate(store))).to.include('001_create_tables');
    expect(await knexReadiness(store)()).to.equal(undefined);
    for (const table of ['api_keys', 'setup_lock', 'animal_store_migrations']) {
      expect(await schemasWith(table, store), table).to.deep.equal(['animals']);
    }
    expect(await run(migrate(open(server.url, 'animals')))).to.deep.equal([]);
  });

  it('can stand in the address, where it is there already', async () => {
    await open(server.url).writes.raw('create schema zoo');
    const store = open(`${server.url}?options=-c%20search_path%3Dzoo`);
    await run(migrate(store));
    expect(await knexReadiness(store)()).to.equal(undefined);
    expect(await schemasWith('pets', store)).to.deep.equal(['zoo']);
  });
});
