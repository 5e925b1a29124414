import { constVoid } from 'fp-ts/function';
import knex, { type Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { pathToFileURL } from 'node:url';
import { silentLog } from '../database/pool';
import { withoutStatement } from '../database/errors';
import { migrationConfig } from '../migrations/migrations';
import { databaseTimeouts } from '../database/timeouts';
import { isInUse } from './database-file';

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
        // Closes the file, because Knex drops a connection whose preparation fails, but leaves its file open.
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

/** Opens a file without the settings that the service uses. */
export const openFile = (filename: string, pool?: Knex.PoolConfig): Knex =>
  knex(poolConfiguration({ filename }, pool));

/**
 * Opens a file for reads only. If no process uses the file, opens it with `immutable`. Without `immutable`, SQLite
 * would create a write-ahead log and leave it behind.
 */
export const openReadOnly = (filename: string, pool?: Knex.PoolConfig): Knex =>
  knex(poolConfiguration(() => fileInMode(filename, 'ro', { immutable: !isInUse(filename) }), pool));

type Done = (error: Error | null) => void;
type DoneWith<Row> = (error: Error | null, rows: ReadonlyArray<Row>) => void;
type Bindings = ReadonlyArray<string | number | null>;

interface Statement {
  readonly all: <Row>(bindings: Bindings, done: DoneWith<Row>) => unknown;
  readonly finalize: () => unknown;
}
interface SqliteConnection {
  readonly prepare: (sql: string, done: Done) => Statement;
  readonly exec: (sql: string, done: Done) => void;
  all: <Row>(sql: string, bindings: Bindings, done: DoneWith<Row>) => unknown;
  close: (done: Done) => void;
}

const maxStatements = 100;

/**
 * Makes a connection cache its prepared statements. Knex calls `all` for reads, for `raw` and for `returning`. The
 * driver's own `all` prepares the statement again at each run, and so takes twice as long.
 */
const cacheStatements = (connection: SqliteConnection): void => {
  const statements = new LRUCache<string, Statement>({
    max: maxStatements,
    dispose: (statement) => {
      statement.finalize();
    },
  });
  const prepare = <Row>(sql: string, done: DoneWith<Row>): Statement => {
    const statement = connection.prepare(sql, (error) => {
      if (error === null) return;
      statements.delete(sql);
      // Passes the error on, because the driver never calls the callback of `all` on a statement that it can't prepare.
      done(error, []);
    });
    statements.set(sql, statement);
    return statement;
  };
  const close = connection.close.bind(connection);

  connection.all = <Row>(sql: string, bindings: Bindings, done: DoneWith<Row>) =>
    (statements.get(sql) ?? prepare(sql, done)).all<Row>(bindings, (error, rows) => {
      // Removes the statement, which `dispose` then finalizes, because a statement that waited too long for a lock
      // keeps its snapshot of the file.
      if (error !== null) statements.delete(sql);
      done(error, rows);
    });
  connection.close = (done) => {
    statements.clear();
    close(done);
  };
};
