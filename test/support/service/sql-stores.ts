import { type Database, openPostgres, openSqlite } from '../../../adapters/knex';
import { inFolder } from '../in-folder';
import { inPostgresDatabase } from './in-postgres-database';

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
