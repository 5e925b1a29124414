import { constUndefined } from 'fp-ts/function';
import type { Knex } from 'knex';
import { pathToFileURL } from 'node:url';
import { silentLog } from '../database/silent-log';
import { migrationConfig } from '../migrations/migration-config';
import { cacheStatements, type PreparingConnection } from './statement-cache';

interface Connection extends PreparingConnection {
  readonly exec: (sql: string, done: (error: Error | null) => void) => void;
}

/** How long a connection waits for another process's transaction, in milliseconds. */
const busyTimeoutMs = 3_000;

/** What each new connection of a pool is told, and who says when it was why it is not to be used. */
export const withPragmas =
  (pragmas: ReadonlyArray<string>, opened: () => Error | undefined = constUndefined) =>
  (connection: Connection, done: (error: Error | null) => void): void => {
    cacheStatements(connection);
    const all = [`busy_timeout = ${busyTimeoutMs}`, ...pragmas];
    connection.exec(all.map((pragma) => `PRAGMA ${pragma};`).join(''), (error) => {
      done(error ?? opened() ?? null);
    });
  };

/** A file that must be there, in a mode of SQLite's (SQLite, "URI Filenames"): `ro` or `rw`. */
export const fileInMode = (filename: string, mode: string) => ({
  filename: `${pathToFileURL(filename).href}?mode=${mode}`,
  // The driver's flags can only be added to its own, which write and create.
  flags: ['OPEN_URI'],
});

/** What knex needs for a pool of connections to a SQLite file; by default of one, while it is needed. */
export const poolConfiguration = (
  connection: NonNullable<Knex.Config['connection']>,
  pool: Knex.PoolConfig = {},
): Knex.Config => ({
  client: 'sqlite3',
  connection,
  useNullAsDefault: true,
  acquireConnectionTimeout: busyTimeoutMs + 500,
  pool: { min: 0, max: 1, ...pool },
  log: silentLog,
  migrations: migrationConfig,
});
