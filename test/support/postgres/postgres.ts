import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import type { OpenedDatabase, StoreDatabase } from '../../../adapters/knex';
import { killServices } from '../service/service-process';

/** Empty PostgreSQL database for one test file. */
export interface PostgresDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/**
 * Returns TEST_POSTGRES_URL, or the address of the test run's shared server. Several addresses, separated by commas,
 * are the servers of a cluster, and each needs the database.
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

/** Runs statements one after another on a new connection. */
export const execute = async (url: string, ...statements: ReadonlyArray<string>): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

/** Returns the address of a database on a server, with the user of the server's address. */
const addressOn = (server: string, database: string): string => {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
};

const pause = 100;

/** Rolls back the transactions that a node of a cluster has prepared in a database, and that no other node will end. */
const rollBackPrepared = async (url: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly statement: string }>(
      `select format('rollback prepared %L', gid) as statement from pg_prepared_xacts
        where database = current_database()`,
    );
    for (const { statement } of rows) await client.query(statement);
  } finally {
    await client.end();
  }
};

/** Drops a database. If it is in use (SQLSTATE 55006), returns false, after a rollback of its prepared transactions. */
const dropOn = async (server: string, name: string): Promise<boolean> => {
  try {
    await execute(server, `drop database if exists ${name} with (force)`);
    return true;
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== '55006') throw error;
    await rollBackPrepared(addressOn(server, name));
    return false;
  }
};

/**
 * Drops a database on all servers of a cluster. Citus opens connections to its databases at any time, and leaves
 * prepared transactions when the database of its coordinator is dropped first. After ten attempts, a database that is
 * still in use stays, because the cluster is removed after the run.
 */
const dropOnCluster = async (servers: ReadonlyArray<string>, name: string): Promise<void> => {
  let left = servers;
  for (let attempt = 1; left.length > 0 && attempt <= 10; attempt += 1) {
    if (attempt > 1) await delay(pause);
    const dropped = await Promise.all(left.map((server) => dropOn(server, name)));
    left = left.filter((_server, index) => dropped[index] === false);
  }
};

/**
 * Makes a database on the test run's PostgreSQL server, with `options` of `create database`. The first call of a run
 * takes some seconds. TEST_POSTGRES_TEMPLATE names a database to copy, and TEST_POSTGRES_ENTRY a pooler through which
 * tests connect.
 */
export const createPostgresDatabase = async (options = ''): Promise<PostgresDatabase> => {
  const servers = await serverUrls();
  const {
    TEST_POSTGRES_URL: given,
    TEST_POSTGRES_TEMPLATE: template,
    TEST_POSTGRES_ENTRY: entry = servers[0],
  } = process.env;
  const name = `animal_store_test_${randomBytes(8).toString('hex')}`;
  // The shared server doesn't sync its writes. So copying the template's files takes it a third of the time of writing
  // each page to the write-ahead log.
  const strategy = given === undefined ? 'strategy file_copy' : '';
  const made = template === undefined ? `${options} ${strategy}` : `template ${template}`;
  await Promise.all(servers.map((server) => execute(server, `create database ${name} ${made}`)));
  return {
    url: addressOn(entry, name),
    drop: () => dropOnCluster(servers, name),
  };
};

/** Changes tables through the first server of a cluster, because other servers do not accept such changes. */
export const alterTables = async (
  { writePool }: OpenedDatabase,
  ...statements: ReadonlyArray<string>
): Promise<void> => {
  const { rows } = await writePool.raw<{ readonly rows: ReadonlyArray<{ readonly name: string }> }>(
    'select current_database() as name',
  );
  const [server] = await serverUrls();
  await execute(addressOn(server, rows[0]?.name ?? ''), ...statements);
};

/**
 * Sets the last id that was assigned, so that later ids are greater. On Citus, each server has a range of ids of its
 * own, which is widened to all ids.
 */
export const setLastId = async ({ runTransaction }: StoreDatabase, id: bigint): Promise<void> => {
  await runTransaction(async (transaction) => {
    await transaction.raw('set local citus.enable_ddl_propagation = off');
    await transaction.raw('alter sequence pets_id_seq minvalue 1 maxvalue 9223372036854775807');
    await transaction.raw(`select setval('pets_id_seq', ${id})`);
  });
};

/** Runs a function with the address of an empty database. Afterwards kills all services and drops the database. */
export const inPostgresDatabase = async <A>(use: (url: string) => Promise<A>): Promise<A> => {
  const { url, drop } = await createPostgresDatabase();
  try {
    return await use(url);
  } finally {
    await killServices();
    await drop();
  }
};

/**
 * Runs a function with the address of a database for a new role, and with the role's name, which is also its password.
 * The role has no rights at first, and is dropped afterwards.
 */
export const withRole = async <A>(
  url: string,
  use: (asRole: URL, role: string) => Promise<A>,
): Promise<A> => {
  const role = `role_${randomBytes(8).toString('hex')}`;
  const asRole = new URL(url);
  asRole.username = asRole.password = role;
  await execute(url, `create role ${role} login password '${role}'`);
  try {
    return await use(asRole, role);
  } finally {
    await execute(url, `drop owned by ${role}`, `drop role ${role}`);
  }
};

/**
 * Makes each read of animals in PostgreSQL take some seconds. A read returns the animals that were stored when the read
 * began.
 */
export const slowPets = async ({ writePool }: OpenedDatabase, seconds: number): Promise<void> => {
  await writePool.raw('alter table pets rename to stored_pets');
  await writePool.raw(
    `create function slow_pets() returns setof stored_pets language plpgsql stable as $$ begin
       perform pg_sleep(${seconds});
       return query select * from stored_pets;
     end $$`,
  );
  await writePool.raw('create view pets as select * from slow_pets()');
  await writePool.raw(
    `create function add_pet() returns trigger language plpgsql as $$ begin
       new.id = coalesce(new.id, nextval('pets_id_seq'));
       insert into stored_pets select new.*;
       return new;
     end $$`,
  );
  await writePool.raw(
    'create trigger add_pet instead of insert on pets for each row execute function add_pet()',
  );
};
