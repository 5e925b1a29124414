import { LRUCache } from 'lru-cache';

export type Done = (error: Error | null) => void;
type DoneWith<Row> = (error: Error | null, rows: ReadonlyArray<Row>) => void;
type Bindings = ReadonlyArray<string | number | null>;

interface Statement {
  readonly all: <Row>(bindings: Bindings, done: DoneWith<Row>) => unknown;
  readonly finalize: () => unknown;
}
/** Connection of the driver `sqlite3`. */
export interface SqliteConnection {
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
export const cacheStatements = (connection: SqliteConnection): void => {
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
      // Passes the error on here. The driver never calls the callback of `all` on a statement that it can't prepare.
      done(error, []);
    });
    statements.set(sql, statement);
    return statement;
  };
  const close = connection.close.bind(connection);

  connection.all = <Row>(sql: string, bindings: Bindings, done: DoneWith<Row>) =>
    (statements.get(sql) ?? prepare(sql, done)).all<Row>(bindings, (error, rows) => {
      // Finalizes the statement (by `dispose`), because a statement that waited too long for a lock keeps its snapshot
      // of the file.
      if (error !== null) statements.delete(sql);
      done(error, rows);
    });
  connection.close = (done) => {
    statements.clear();
    close(done);
  };
};
