import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openPostgres, openSqlite } from '../../../adapters/knex';
import { createPostgresDatabase } from '../postgres/postgres';

/** An empty database that several may open, as several processes do. */
export interface TestDatabase {
  readonly open: () => Database;
  readonly remove: () => Promise<void>;
}

/** A SQLite file in a folder of its own. */
export const sqliteFile = async (): Promise<TestDatabase> => {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-'));
  return {
    open: () => openSqlite(join(folder, 'animals.sqlite3')),
    remove: () => rm(folder, { recursive: true }),
  };
};

const postgresWith = (statementTimeoutMs: number) => async (): Promise<TestDatabase> => {
  const { url, drop } = await createPostgresDatabase();
  return { open: () => openPostgres(url, { poolSize: 10, statementTimeoutMs }), remove: drop };
};

/** A database on the run's PostgreSQL server. */
export const postgresDatabase = postgresWith(3_000);

/** The same, in which who waits for a lock waits for longer than any operation may take. */
export const patientPostgresDatabase = postgresWith(60_000);

/** Both kinds of database that the Knex adapter promises to work on. */
export const databaseKinds = [
  ['SQLite', sqliteFile],
  ['PostgreSQL', postgresDatabase],
] as const;

/** A SQLite that waits for its turn takes one of this process's four threads; one must be left to who is on turn. */
export const mostWriters = 4;
