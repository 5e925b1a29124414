import { constUndefined } from 'fp-ts/function';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { pathToFileURL } from 'node:url';
import { silentLog } from '../database/pool';
import { migrationConfig } from '../migrations/migrations';
import { databaseTimeouts } from '../../../core/timeouts';

type Done = (error: Error | null, rows?: unknown) => void;

interface Statement {
  readonly all: (bindings: ReadonlyArray<unknown>, done: Done) => unknown;
  readonly finalize: () => unknown;
}

interface PreparingConnection {
  readonly prepare: (sql: string, done: (error: Error | null) => void) => Statement;
  all: (sql: string, bindings: ReadonlyArray<unknown>, done: Done) => unknown;
  close: (done: (error: Error | null) => void) => void;
}

const mostStatements = 100;

/**
 * Makes a connection keep its prepared statements. The driver prepares a statement for each run, which doubles the cost.
 * Replaces the driver's `all`, which knex calls for reads.
 */
const cacheStatements = (connection: PreparingConnection): void => {
  const statements = new LRUCache<string, Statement>({
    max: mostStatements,
    dispose: (statement) => {
      statement.finalize();
    },
  });
  const prepare = (sql: string, done: Done): Statement => {
    const statement = connection.prepare(sql, (error) => {
      if (error === null) return;
      statements.delete(sql);
      // The driver never calls back the runs of a statement that it can't prepare.
      done(error);
    });
    statements.set(sql, statement);
    return statement;
  };
  const close = connection.close.bind(connection);

  connection.all = (sql, bindings, done) =>
    (statements.get(sql) ?? prepare(sql, done)).all(bindings, (error, rows) => {
      // A statement that timed out on a lock holds its snapshot of the file until it is finalized.
      if (error !== null) statements.delete(sql);
      done(error, rows);
    });
  connection.close = (done) => {
    statements.clear();
    close(done);
  };
};

interface Connection extends PreparingConnection {
  readonly exec: (sql: string, done: (error: Error | null) => void) => void;
}

/** Sets up each new connection of a pool. `opened` may reject the connection by returning an error. */
export const withPragmas =
  (pragmas: ReadonlyArray<string>, opened: () => Error | undefined = constUndefined) =>
  (connection: Connection, done: (error: Error | null) => void): void => {
    cacheStatements(connection);
    const all = [`busy_timeout = ${databaseTimeouts.sqliteBusyMs}`, ...pragmas];
    connection.exec(all.map((pragma) => `PRAGMA ${pragma};`).join(''), (error) => {
      done(error ?? opened() ?? null);
    });
  };

/** Opens an existing file only, in mode `ro` or `rw` (SQLite, "URI Filenames"). */
export const fileInMode = (filename: string, mode: string) => ({
  filename: `${pathToFileURL(filename).href}?mode=${mode}`,
  // A connection can only add flags: the driver's own flags write and create.
  flags: ['OPEN_URI'],
});

/** Configures a pool for a SQLite file. By default it opens one connection on demand. */
export const poolConfiguration = (
  connection: NonNullable<Knex.Config['connection']>,
  pool: Knex.PoolConfig = {},
): Knex.Config => ({
  client: 'sqlite3',
  connection,
  useNullAsDefault: true,
  acquireConnectionTimeout: databaseTimeouts.sqliteBusyMs + databaseTimeouts.graceMs,
  pool: { min: 0, max: 1, ...pool },
  log: silentLog,
  migrations: migrationConfig,
});
