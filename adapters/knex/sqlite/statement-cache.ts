import { LRUCache } from 'lru-cache';

type Done = (error: Error | null, rows?: unknown) => void;

interface Statement {
  readonly all: (bindings: ReadonlyArray<unknown>, done: Done) => unknown;
  readonly finalize: () => unknown;
}

/** What of a connection of the SQLite driver is replaced, and by what. */
export interface PreparingConnection {
  readonly prepare: (sql: string, done: (error: Error | null) => void) => Statement;
  all: (sql: string, bindings: ReadonlyArray<unknown>, done: Done) => unknown;
  close: (done: (error: Error | null) => void) => void;
}

const mostStatements = 100;

/**
 * Has a connection prepare a statement once and keep it: by itself the driver prepares it for each run, which costs as
 * much again, and a second turn of another thread. It takes the place of the driver's `all`, through which knex reads.
 */
export const cacheStatements = (connection: PreparingConnection): void => {
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
      // The driver drops what waits for a statement that can't be prepared.
      done(error);
    });
    statements.set(sql, statement);
    return statement;
  };
  const close = connection.close.bind(connection);

  connection.all = (sql, bindings, done) =>
    (statements.get(sql) ?? prepare(sql, done)).all(bindings, (error, rows) => {
      // One that waited for a lock in vain still runs to SQLite, and keeps its view of the file, until it is finalized.
      if (error !== null) statements.delete(sql);
      done(error, rows);
    });
  connection.close = (done) => {
    statements.clear();
    close(done);
  };
};
