import { constVoid } from 'fp-ts/function';
import knex, { type Knex } from 'knex';
import { pathToFileURL } from 'node:url';
import { silentLog } from '../database/pool';
import { withoutStatement } from '../database/errors';
import { migrationConfig } from '../migrations/migrations';
import { databaseTimeouts } from '../database/timeouts';
import { isInUse } from './database-file';
import { cacheStatements, type Done, type SqliteConnection } from './statement-cache';

export const withPragmas =
  (pragmas: ReadonlyArray<string>, afterOpen: () => void = constVoid) =>
  (connection: SqliteConnection, done: Done): void => {
    cacheStatements(connection);
    const settings = [`busy_timeout = ${databaseTimeouts.sqliteBusyMs}`, ...pragmas];
    connection.exec(settings.map((pragma) => `PRAGMA ${pragma};`).join(''), (error) => {
      try {
        if (error !== null) throw error;
        afterOpen();
        done(null);
      } catch (failure) {
        // Knex drops a connection whose preparation fails, but leaves its file open.
        connection.close(() => {
          done(withoutStatement(failure));
        });
      }
    });
  };

/**
 * Returns settings that open a file in mode `ro` or `rw`, and never create it (SQLite, "URI Filenames"). The driver's
 * open flags can't prevent a new file, because Knex always adds the flag OPEN_CREATE to them. With `immutable`, SQLite
 * takes no lock and creates no log.
 */
export const fileInMode = (filename: string, mode: 'ro' | 'rw', { immutable = false } = {}) => ({
  filename: `${pathToFileURL(filename).href}?mode=${mode}${immutable ? '&immutable=1' : ''}`,
  flags: ['OPEN_URI'],
});

export const poolConfiguration = (
  connection: NonNullable<Knex.Config['connection']>,
  pool: Knex.PoolConfig = {},
): Knex.Config => ({
  client: 'sqlite3',
  connection,
  useNullAsDefault: true,
  acquireConnectionTimeout: databaseTimeouts.sqliteBusyMs + databaseTimeouts.outerMarginMs,
  pool: { min: 0, max: 1, ...pool },
  log: silentLog,
  migrations: migrationConfig,
});

/** Opens a file as it is, for work outside of a store. */
export const openFile = (filename: string, pool?: Knex.PoolConfig): Knex =>
  knex(poolConfiguration({ filename }, pool));

/**
 * Opens a file for reads only. If no process uses the file, opens it with `immutable`. Otherwise, SQLite would create a
 * write-ahead log and leave it behind.
 */
export const openReadOnly = (filename: string, pool?: Knex.PoolConfig): Knex =>
  knex(poolConfiguration(() => fileInMode(filename, 'ro', { immutable: !isInUse(filename) }), pool));
