import type { Knex } from 'knex';
import { configurationOf, engineOf } from './database/engine';
import type { StoreDatabase } from './database/store-database';
import { hostPostgres } from './postgres/postgres';
import { hostSqlite } from './sqlite/sqlite';

/**
 * Makes a StoreDatabase from the Knex of a program that embeds the store (the host). The Knex keeps its pool settings
 * and timeouts, and the host must close it. The host may pass a Knex transaction, whose commit or rollback then
 * includes the store's changes. In a transaction, await each call of the store before your next statement. A failed
 * call may abort a PostgreSQL transaction, and a statement during an import may see half of the animals. Set
 * `retryForMs: 0` for an embedded client in a transaction, because its retries would fail and hold the connection.
 * Throws a TypeError for Knex clients other than PostgreSQL (`pg`) and `sqlite3`, and for a Knex with `wrapIdentifier`
 * or `postProcessResponse`.
 * @example const pets = knexPetRepository(hostDatabase(knex));
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
