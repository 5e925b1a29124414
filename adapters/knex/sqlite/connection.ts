/*
 * Configuration of connections to SQLite files, for sqlite.ts, file.ts and restore.ts. sqlite.ts runs the statements on
 * animals with `runStatement`.
 */

import { constUndefined } from 'fp-ts/function';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { pathToFileURL } from 'node:url';
import { hasFunctions, silentLog, unsupportedKnex } from '../database/connections';
import { migrationConfig } from '../migrations/migrations';
import { databaseTimeouts } from '../timeouts';
import type { FoundRows, RunStatement } from './pet-statements';

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

interface Client {
  readonly acquireConnection: () => Promise<Connection>;
  readonly releaseConnection: (connection: Connection) => unknown;
  readonly raw: (sql: string) => unknown;
  readonly emit: (
    event: 'query',
    statement: { readonly sql: string; readonly bindings: Bindings },
  ) => unknown;
}

/**
 * Runs a statement without knex's builder and runner, which take a quarter of the time of a read by id. Listeners of
 * knex's event `query` get the statement as usual. In a transaction, or if OpenTelemetry has wrapped `raw` to record
 * spans, knex runs the statement.
 */
export const runStatement: RunStatement = async (knex, sql, bindings) => {
  const client: unknown = knex.client;
  if (!hasFunctions<Client>(client, 'acquireConnection', 'releaseConnection', 'raw', 'emit')) {
    throw unsupportedKnex('client');
  }
  if (knex.isTransaction === true || Reflect.has(client.raw, '__wrapped')) {
    return knex.raw<FoundRows>(sql, [...bindings]);
  }
  const connection = await client.acquireConnection();
  try {
    client.emit('query', { sql, bindings });
    return await new Promise((resolve, reject) => {
      connection.all<FoundRows[number]>(sql, bindings, (error, rows) => {
        if (error === null) resolve(rows);
        else reject(error);
      });
    });
  } finally {
    client.releaseConnection(connection);
  }
};

export const withPragmas =
  (pragmas: ReadonlyArray<string>, opened: () => Error | undefined = constUndefined) =>
  (connection: Connection, done: Done): void => {
    cacheStatements(connection);
    const all = [`busy_timeout = ${databaseTimeouts.sqliteBusyMs}`, ...pragmas];
    connection.exec(all.map((pragma) => `PRAGMA ${pragma};`).join(''), (error) => {
      done(error ?? opened() ?? null);
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
