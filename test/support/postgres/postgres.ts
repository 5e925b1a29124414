import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import type { Database } from '../../../adapters/knex';
import { killServices } from '../service/service-process';

/** An empty database of a test file's own. */
export interface PostgresDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/**
 * TEST_POSTGRES_URL, or the server that the run starts for whom asks first. Several, separated by commas, are the servers of
 * one cluster: each needs the database.
 */
const serverUrls = async (): Promise<readonly [string, ...Array<string>]> => {
  const { TEST_POSTGRES_URL: given, TEST_POSTGRES_BROKER: broker } = process.env;
  if (given !== undefined) {
    const [first = '', ...others] = given.split(',');
    return [first, ...others];
  }
  if (broker === undefined)
    throw new Error('run it by mocha with its .mocharc.json, or set TEST_POSTGRES_URL');
  const answer = await fetch(broker);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return [text];
};

/** Runs statements one after another on a connection of their own. */
export const execute = async (url: string, ...statements: ReadonlyArray<string>): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

/** In milliseconds. */
const pause = 100;

/** A distributed engine connects to its databases by itself, at any moment (SQLSTATE 55006). */
const dropOn = async (server: string, name: string): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await execute(server, `drop database if exists ${name} with (force)`);
      return;
    } catch (error) {
      if (attempt === 20 || !(error instanceof DatabaseError) || error.code !== '55006') throw error;
      await delay(pause);
    }
  }
};

/** The address of a database by the way that leads to a server, its user included. */
const addressOn = (server: string, database: string): string => {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
};

/**
 * Makes a database on the run's PostgreSQL server, as `options` of the statement say. The first call of a run takes some
 * seconds. It is a copy of TEST_POSTGRES_TEMPLATE if that is set, and reached by way of TEST_POSTGRES_ENTRY.
 */
export const createPostgresDatabase = async (options = ''): Promise<PostgresDatabase> => {
  const servers = await serverUrls();
  const {
    TEST_POSTGRES_URL: given,
    TEST_POSTGRES_TEMPLATE: template,
    TEST_POSTGRES_ENTRY: entry = servers[0],
  } = process.env;
  const name = `animal_store_test_${randomBytes(8).toString('hex')}`;
  // Copying files takes a third of the time that logging each page takes, where nothing is synced.
  const strategy = given === undefined ? 'strategy file_copy' : '';
  const made = template === undefined ? `${options} ${strategy}` : `template ${template}`;
  await Promise.all(servers.map((server) => execute(server, `create database ${name} ${made}`)));
  return {
    url: addressOn(entry, name),
    drop: async () => {
      await Promise.all(servers.map((server) => dropOn(server, name)));
    },
  };
};

/** Changes the tables of a database by its first server: where others share the work, they take no such changes. */
export const alterTables = async (
  { writes }: Database,
  ...statements: ReadonlyArray<string>
): Promise<void> => {
  const { rows } = await writes.raw<{ readonly rows: ReadonlyArray<{ readonly name: string }> }>(
    'select current_database() as name',
  );
  const [server] = await serverUrls();
  await execute(addressOn(server, rows[0]?.name ?? ''), ...statements);
};

/** No animal gets this id or a lesser one from then on. A worker of Citus hands ids out of a range of its own, and is given all. */
export const setLastId = async ({ writes }: Database, id: bigint): Promise<void> => {
  await writes.transaction(async (transaction) => {
    await transaction.raw('set local citus.enable_ddl_propagation = off');
    await transaction.raw('alter sequence pets_id_seq minvalue 1 maxvalue 9223372036854775807');
    await transaction.raw(`select setval('pets_id_seq', ${id})`);
  });
};

/** Gives the address of an empty database on the run's server; it is gone afterwards, with the services on it. */
export const inPostgresDatabase = async <A>(use: (url: string) => Promise<A>): Promise<A> => {
  const { url, drop } = await createPostgresDatabase();
  try {
    return await use(url);
  } finally {
    await killServices();
    await drop();
  }
};

/** Has each read of PostgreSQL's animals take so many seconds, and see those that were there when it began. */
export const slowPets = async ({ writes }: Database, seconds: number): Promise<void> => {
  await writes.raw('alter table pets rename to stored_pets');
  await writes.raw(
    `create function slow_pets() returns setof stored_pets language plpgsql stable as $$ begin
       perform pg_sleep(${seconds});
       return query select * from stored_pets;
     end $$`,
  );
  await writes.raw('create view pets as select * from slow_pets()');
  await writes.raw(
    `create function add_pet() returns trigger language plpgsql as $$ begin
       new.id = coalesce(new.id, nextval('pets_id_seq'));
       insert into stored_pets select new.*;
       return new;
     end $$`,
  );
  await writes.raw(
    'create trigger add_pet instead of insert on pets for each row execute function add_pet()',
  );
};
