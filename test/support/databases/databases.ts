import type { Knex } from 'knex';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type OpenedDatabase,
  migrate,
  openPostgres,
  openSqlite,
  type PostgresDatabase,
  type PostgresOptions,
  type SqliteDatabase,
  type StoreDatabase,
} from '../../../adapters/knex';
import { createPostgresDatabase, inPostgresDatabase } from '../postgres/postgres';
import { success } from '../../contracts/outcome';
import { inFolder } from '../temporary-folder';

/** Empty database that a test can open several times, as several processes would. */
export interface TestDatabase<D extends OpenedDatabase = OpenedDatabase> {
  /** Value of the setting DATABASE_URL for a service on this database. */
  readonly databaseUrl: string;
  readonly open: () => D;
  readonly remove: () => Promise<void>;
}

/** Makes an empty SQLite file in a new folder. */
export const sqliteFile = async (): Promise<TestDatabase<SqliteDatabase>> => {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-'));
  const file = join(folder, 'animals.sqlite3');
  return {
    databaseUrl: `sqlite:${file}`,
    open: () => openSqlite(file),
    remove: () => rm(folder, { recursive: true }),
  };
};

/**
 * Returns a function that makes an empty database on the shared PostgreSQL server. `creation` holds additional options
 * of `create database`, and `options` those of each connection.
 */
export const postgresWith =
  (options: Partial<PostgresOptions>, creation?: string) =>
  async (): Promise<TestDatabase<PostgresDatabase>> => {
    const { url, drop } = await createPostgresDatabase(creation);
    return {
      databaseUrl: url,
      open: () => openPostgres(url, { poolSize: 10, statementTimeoutMs: 3_000, ...options }),
      remove: drop,
    };
  };

export const postgresDatabase = postgresWith({});

/** Makes a database whose lock timeout, a third of the statement timeout, is longer than any test waits for a lock. */
export const patientPostgresDatabase = postgresWith({ statementTimeoutMs: 60_000 });

/** Kinds of database that the Knex adapter supports. */
export const databaseKinds: ReadonlyArray<readonly [OpenedDatabase['engine'], () => Promise<TestDatabase>]> =
  [
    ['SQLite', sqliteFile],
    ['PostgreSQL', postgresDatabase],
  ];

/** True if the tests run on a cluster that distributes its tables, such as Citus. */
export const isDistributed = process.env['TEST_POSTGRES_IS_DISTRIBUTED'] === 'yes';

/**
 * Maximum concurrent writers of a test on SQLite. Each waiting writer blocks one of the four threads of Node's thread
 * pool, and the current writer needs one.
 */
export const mostWriters = 4;

/**
 * Runs a test with an empty database, which the test can open again. Closes and removes the database, also after a
 * failure.
 */
export const withEmptyDatabase = async <D extends OpenedDatabase>(
  makeDatabase: () => Promise<TestDatabase<D>>,
  test: (database: D, open: () => D, databaseUrl: string) => Promise<void>,
): Promise<void> => {
  const made = await makeDatabase();
  const opened: Array<D> = [];
  const open = (): D => {
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

export const openMigrated = async (makeDatabase: () => Promise<TestDatabase>) => {
  const { open, remove } = await makeDatabase();
  let database = open();
  await success(migrate(database));
  return {
    database,
    reopen: async (): Promise<OpenedDatabase> => {
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

/**
 * Runs a test with `count` connections to one migrated database. Closes and removes the database, also after a failure.
 */
export const withDatabases = <D extends OpenedDatabase>(
  count: number,
  makeDatabase: () => Promise<TestDatabase<D>>,
  test: (...databases: ReadonlyArray<D>) => Promise<void>,
): Promise<void> =>
  withEmptyDatabase(makeDatabase, async (database, open) => {
    const databases = [database, ...Array.from({ length: count - 1 }, open)];
    for (const one of databases) await success(migrate(one));
    await test(...databases);
  });

export const withDatabase = <D extends OpenedDatabase>(
  makeDatabase: () => Promise<TestDatabase<D>>,
  test: (database: D) => Promise<void>,
): Promise<void> => withDatabases(1, makeDatabase, test);

/** Returns a database with some of its statements on animals replaced. */
export const withStatements = (
  database: StoreDatabase,
  statements: Partial<StoreDatabase['statements']>,
): StoreDatabase => ({ ...database, statements: { ...database.statements, ...statements } });

/**
 * Takes all connections of a pool, so that further queries wait. Returns a function that gives the connections back.
 */
export const occupyPool = async (pool: Knex, connections: number): Promise<() => Promise<void>> => {
  const transactions = await Promise.all(Array.from({ length: connections }, () => pool.transaction()));
  return async () => {
    await Promise.all(transactions.map((transaction) => transaction.rollback()));
  };
};

/** SQL database that several processes use. */
export interface SqlStore {
  readonly databaseUrl: string;
  /** Opens the database in this process, so that the test can query it. */
  readonly open: () => OpenedDatabase;
  /** Blocks all other writers until the returned function is called. */
  readonly holdWriters: () => Promise<() => Promise<void>>;
}

interface SqlStoreKind {
  readonly name: string;
  /** Runs a function with a new empty database, and removes the database afterwards. */
  readonly within: <A>(use: (store: SqlStore) => Promise<A>) => Promise<A>;
}

const hold = async ({ writePool, close }: OpenedDatabase, lock: string): Promise<() => Promise<void>> => {
  try {
    const transaction = await writePool.transaction();
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

/** Makes a store on a SQLite file, which need not exist yet. */
export const sqliteStore = (file: string): SqlStore => {
  const open = () => openSqlite(file);
  return {
    databaseUrl: `sqlite:${file}`,
    open,
    holdWriters: () => hold(open(), 'delete from heartbeats where id = 0'),
  };
};

export const postgresStore = (url: string): SqlStore => {
  const open = () => openPostgres(url, { poolSize: 2, statementTimeoutMs: 3_000 });
  return { databaseUrl: url, open, holdWriters: () => hold(open(), 'lock table pets in exclusive mode') };
};

/** Kinds of SQL database that the service supports. */
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

/** Reads a column of a table directly, without the service. */
export const columnIn = async (
  { open }: SqlStore,
  table: string,
  column: string,
): Promise<ReadonlyArray<unknown>> => {
  const { readPool, close } = open();
  try {
    const values: ReadonlyArray<unknown> = await readPool(table).orderBy('id').pluck(column);
    return values;
  } finally {
    await close();
  }
};

/** Kind of store of the end-to-end tests. `open` makes a new, empty store. */
export type TestStore = Readonly<{
  name: string;
  open: () => Promise<Pick<TestDatabase, 'databaseUrl' | 'remove'>>;
}>;

/** Store for tests whose result is the same on every store. */
export const inMemory: TestStore = {
  name: 'in-memory',
  open: () => Promise.resolve({ databaseUrl: 'memory:', remove: () => Promise.resolve() }),
};

export const stores: ReadonlyArray<TestStore> = [
  inMemory,
  ...databaseKinds.map(([name, open]) => ({ name, open })),
];
