import type { Knex } from 'knex';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Database,
  type InspectableDatabase,
  migrate,
  openPostgres,
  openSqlite,
  type PostgresOptions,
} from '../../../adapters/knex';
import { createPostgresDatabase, inPostgresDatabase } from '../postgres/postgres';
import { run } from '../run';
import { inFolder } from '../temporary-folder';

/** An empty database that several may open, as several processes do. */
export interface TestDatabase {
  /** The setting DATABASE_URL of a service that uses it. */
  readonly databaseUrl: string;
  readonly open: () => Database;
  readonly remove: () => Promise<void>;
}

/** A SQLite file in a folder of its own. */
export const sqliteFile = async (): Promise<TestDatabase> => {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-'));
  const file = join(folder, 'animals.sqlite3');
  return {
    databaseUrl: `sqlite:${file}`,
    open: () => openSqlite(file),
    remove: () => rm(folder, { recursive: true }),
  };
};

/** A database on the run's PostgreSQL server, opened with these options. */
export const postgresWith =
  (options: Partial<PostgresOptions>, creation?: string) => async (): Promise<TestDatabase> => {
    const { url, drop } = await createPostgresDatabase(creation);
    return {
      databaseUrl: url,
      open: () => openPostgres(url, { poolSize: 10, statementTimeoutMs: 3_000, ...options }),
      remove: drop,
    };
  };

export const postgresDatabase = postgresWith({});

/** The same with a lock timeout that is longer than any operation may take. */
export const patientPostgresDatabase = postgresWith({ statementTimeoutMs: 60_000 });

/** Both kinds of database that the Knex adapter promises to work on. */
export const databaseKinds = [
  ['SQLite', sqliteFile],
  ['PostgreSQL', postgresDatabase],
] as const;

/** A SQLite that waits for its turn takes one of this process's four threads; one must be left to who is on turn. */
export const mostWriters = 4;

/** Opens an empty database, which the test may open again. Closes and removes it whatever comes of the test. */
export const withEmptyDatabase = async (
  makeDatabase: () => Promise<TestDatabase>,
  test: (database: Database, open: () => Database, databaseUrl: string) => Promise<void>,
): Promise<void> => {
  const made = await makeDatabase();
  const opened: Array<Database> = [];
  const open = (): Database => {
    const database = made.open();
    opened.push(database);
    return database;
  };
  try {
    await test(open(), open, made.databaseUrl);
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
    await made.remove();
  }
};

/** Opens a migrated database for hooks, which close and remove it. */
export const openMigrated = async (makeDatabase: () => Promise<TestDatabase>) => {
  const { open, remove } = await makeDatabase();
  let database = open();
  await run(migrate(database));
  return {
    database,
    reopen: async (): Promise<Database> => {
      await database.close();
      database = open();
      return database;
    },
    close: async (): Promise<void> => {
      await database.close();
      await remove();
    },
  };
};

/** Opens a migrated database as often as told, and closes and removes it whatever comes of the test. */
export const withDatabases = (
  count: number,
  makeDatabase: () => Promise<TestDatabase>,
  test: (...databases: ReadonlyArray<Database>) => Promise<void>,
): Promise<void> =>
  withEmptyDatabase(makeDatabase, async (database, open) => {
    const databases = [database, ...Array.from({ length: count - 1 }, open)];
    for (const one of databases) await run(migrate(one));
    await test(...databases);
  });

/** The same for one. */
export const withDatabase = (
  makeDatabase: () => Promise<TestDatabase>,
  test: (database: Database) => Promise<void>,
): Promise<void> => withDatabases(1, makeDatabase, test);

/** A database of a test as one to inspect, without damage and with every right. */
export const forInspection = (database: Database): InspectableDatabase => ({
  ...database,
  findDamage: () => Promise.resolve(undefined),
  missingGrants: () => Promise.resolve([]),
});

/** Takes every connection of a pool, so that who asks it for one waits; answers with how to give them back. */
export const occupyPool = async (pool: Knex, connections: number): Promise<() => Promise<void>> => {
  const transactions = await Promise.all(Array.from({ length: connections }, () => pool.transaction()));
  return async () => {
    await Promise.all(transactions.map((transaction) => transaction.rollback()));
  };
};

/** A SQL database that processes share. */
export interface SqlStore {
  readonly databaseUrl: string;
  /** Opens it here, for a test to look into. */
  readonly open: () => Database;
  /** Keeps every other writer waiting until it is released. */
  readonly holdWriters: () => Promise<() => Promise<void>>;
}

interface SqlStoreKind {
  readonly name: string;
  /** Gives an empty one, which is gone afterwards. */
  readonly within: <A>(use: (store: SqlStore) => Promise<A>) => Promise<A>;
}

const hold = async ({ writes, close }: Database, lock: string): Promise<() => Promise<void>> => {
  try {
    const transaction = await writes.transaction();
    await transaction.raw(lock);
    return async () => {
      await transaction.rollback();
      await close();
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** A SQLite file, which need not exist yet. */
export const sqliteStore = (file: string): SqlStore => {
  const open = () => openSqlite(file);
  return {
    databaseUrl: `sqlite:${file}`,
    open,
    holdWriters: () => hold(open(), 'delete from heartbeats where id = 0'),
  };
};

/** A database on a PostgreSQL server. */
export const postgresStore = (url: string): SqlStore => {
  const open = () => openPostgres(url, { poolSize: 2, statementTimeoutMs: 3_000 });
  return { databaseUrl: url, open, holdWriters: () => hold(open(), 'lock table pets in exclusive mode') };
};

/** Both kinds that the service runs on. */
export const sqlStores: ReadonlyArray<SqlStoreKind> = [
  {
    name: 'SQLite',
    within: (use) => inFolder((folder) => use(sqliteStore(`${folder}/animals.sqlite3`))),
  },
  {
    name: 'PostgreSQL',
    within: (use) => inPostgresDatabase((url) => use(postgresStore(url))),
  },
];

/** A column of a table that a test reads past the service. */
export const columnIn = async (
  { open }: SqlStore,
  table: string,
  column: string,
): Promise<ReadonlyArray<unknown>> => {
  const { reads, close } = open();
  try {
    const values: ReadonlyArray<unknown> = await reads(table).orderBy('id').pluck(column);
    return values;
  } finally {
    await close();
  }
};

/** A store that the service is tested on: `open` gives a new, empty one. */
export type TestStore = Readonly<{
  name: string;
  open: () => Promise<Pick<TestDatabase, 'databaseUrl' | 'remove'>>;
}>;

/** The store of tests whose result is the same on every store. */
export const inMemory: TestStore = {
  name: 'in-memory',
  open: () => Promise.resolve({ databaseUrl: 'memory:', remove: () => Promise.resolve() }),
};

/** Every store that the end-to-end tests run on. */
export const stores: ReadonlyArray<TestStore> = [
  inMemory,
  ...databaseKinds.map(([name, open]) => ({ name, open })),
];
