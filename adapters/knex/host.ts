import type { Knex } from 'knex';
import { configurationOf, engineOf } from './database/engine';
import type { StoreDatabase } from './database/store-database';
import { hostPostgres } from './postgres/postgres';
import { hostSqlite } from './sqlite/sqlite';

/**
 * Makes a StoreDatabase from the Knex of a program that embeds the store (the host). If you pass a Knex transaction,
 * its commit or rollback includes the store's changes. In a transaction, await each call of the store before your next
 * statement. A failed call aborts a PostgreSQL transaction, and your statement may otherwise see half an import. Give
 * an embedded client in a transaction `retryForMs: 0`: its retries would fail and hold the connection. The host keeps
 * its pool settings and timeouts, and closes the Knex. Throws a TypeError for clients of Knex other than PostgreSQL
 * (`pg`) and `sqlite3`, and for a Knex with `wrapIdentifier` or `postProcessResponse`.
 */
export const hostDatabase = (knex: Knex): StoreDatabase => {
  const { wrapIdentifier, postProcessResponse } = configurationOf(knex);
  if (wrapIdentifier || postProcessResponse) {
    throw new TypeError(
      'the animal store needs a Knex without wrapIdentifier and postProcessResponse, which would change the names of its columns; make a second Knex without them on the same database',
    );
  }
  return engineOf(knex) === 'PostgreSQL' ? hostPostgres(knex) : hostSqlite(knex);
};
