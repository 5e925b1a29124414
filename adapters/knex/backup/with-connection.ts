import * as t from 'io-ts';
import type { Knex } from 'knex';

/** A backup that goes on (SQLite, "Using the SQLite Online Backup API"). */
export interface Backup {
  readonly remaining: number;
  readonly pageCount: number;
  readonly step: (pages: number, done: (error: Error | null, isComplete: boolean) => void) => void;
  readonly finish: (done: () => void) => void;
}

/** What of a connection of the SQLite driver knex has no name for. */
interface Connection {
  readonly backup: (filename: string, done: (error: Error | null) => void) => Backup;
  readonly interrupt: () => void;
}

const isConnection = (value: unknown): value is Connection =>
  t.type({ backup: t.Function, interrupt: t.Function }).is(value);

const connectionOf = ({
  client,
}: {
  readonly client: { readonly acquireConnection: () => Promise<unknown> };
}): Promise<unknown> => client.acquireConnection();

/** Works in a transaction, with the connection beneath it at hand. */
export const withConnection = <A>(
  knex: Knex,
  work: (transaction: Knex.Transaction, connection: Connection) => Promise<A>,
): Promise<A> =>
  knex.transaction(async (transaction) => {
    const connection = await connectionOf(transaction);
    if (!isConnection(connection)) throw new TypeError('this release of the SQLite driver makes no backups');
    return work(transaction, connection);
  });
