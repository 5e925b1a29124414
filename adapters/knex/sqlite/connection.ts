import { constVoid } from 'fp-ts/function';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { pathToFileURL } from 'node:url';
import { tryOrError } from '../database/errors';
import { silentLog } from '../database/transactions';
import { migrationConfig } from '../migrations/migrations';
import { databaseTimeouts } from '../timeouts';

type Done = (error: Error | null) => void;
type DoneWith<Row> = (error: Error | null, rows: ReadonlyArray<Row>) => void;
type Bindings = ReadonlyArray<string | number | null>;

interface Statement {
  readonly all: <Row>(bindings: Bindings, done: DoneWith<Row>) => unknown;
  readonly finalize: () => unknown;
}
interface Connection {
  readonly prepare: (sql: string, done: Done) => Statement;
  readonly exec: (sql: string, done: Done) => void;
  all: <Row>(sql: string, bindings: Bindings, done: DoneWith<Row>) => unknown;
  close: (done: Done) => void;
}

const maxStatements = 100;

/**
 * Makes a connection cache its prepared statements. The driver's own `all`, which knex calls for reads, prepares a
 * statement for each run and so takes twice as long.
 */
const cacheStatements = (connection: Connection): void => {
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
      // Passes the error on here, because the driver never calls the callback of `all` on a statement that it can't
      // prepare.
      done(error, []);
    });
    statements.set(sql, statement);
    return statement;
  };
  const close = connection.close.bind(connection);

  connection.all = <Row>(sql: string, bindings: Bindings, done: DoneWith<Row>) =>
    (statements.get(sql) ?? prepare(sql, done)).all<Row>(bindings, (error, rows) => {
      // Deleting the statement from the cache calls `dispose`, which finalizes it. Otherwise, a statement that waited
      // too long for a lock would keep its snapshot of the file.
      if (error !== null) statements.delete(sql);
      done(error, rows);
    });
  connection.close = (done) => {
    statements.clear();
    close(done);
  };
};

export const withPragmas =
  (pragmas: ReadonlyArray<string>, afterOpen: () => void = constVoid) =>
  (connection: Connection, done: Done): void => {
    cacheStatements(connection);
    const all = [`busy_timeout = ${databaseTimeouts.sqliteBusyMs}`, ...pragmas];
    connection.exec(all.map((pragma) => `PRAGMA ${pragma};`).join(''), (error) => {
      const outcome = error ?? tryOrError(afterOpen);
      if (!(outcome instanceof Error)) {
        done(null);
        return;
      }
      // Knex forgets a connection whose preparation fails, and leaves its file open.
      connection.close(() => {
        done(outcome);
      });
    });
  };

/**
 * Returns settings that open a file in mode `ro` or `rw`, and never create it (SQLite, "URI Filenames"). The driver's
 * open flags can't prevent a new file, because the driver always adds the flag that creates files.
 */
export const fileInMode = (filename: string, mode: string) => ({
  filename: `${pathToFileURL(filename).href}?mode=${mode}`,
  flags: ['OPEN_URI'],
});

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
