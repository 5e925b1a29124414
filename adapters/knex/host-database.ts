import type { Knex } from 'knex';
import { driverOf, unsupportedKnex } from './database/connections';
import type { Database } from './database/database';
import { hostPostgres } from './postgres/postgres';
import { hostSqlite } from './sqlite/sqlite';

const partOf = (owner: object, name: string): object => {
  const part: unknown = Reflect.get(owner, name);
  if (typeof part === 'object' && part !== null) return part;
  throw unsupportedKnex(name);
};

/**
 * Returns a proxy of the host's Knex that does not apply `wrapIdentifier` and `postProcessResponse`, because the store
 * uses plain column names. Copies the configuration, because Knex's migrator would otherwise disable both functions for
 * the rest of the host's transaction. Uses undocumented parts of Knex.
 */
const withoutIdentifierMapping = (knex: Knex): Knex => {
  const client = partOf(knex, 'client');
  const config = { ...partOf(client, 'config'), wrapIdentifier: null, postProcessResponse: null };
  const context = { __proto__: partOf(knex, 'context'), client: { __proto__: client, config } };
  const plain: Knex = new Proxy(knex, {
    get: (target, name, receiver): unknown =>
      name === 'context' ? context : Reflect.get(target, name, receiver),
    // Without this proxy trap, a call such as knex('pets') would use the host's client, and so its name mapping.
    apply: (_target, _this, [table]: [string]) => plain.queryBuilder().table(table),
  });
  return plain;
};

/**
 * Makes a Database from the Knex of a program that embeds the store (the host); only such programs call it. If you pass
 * a Knex transaction, its commit or rollback includes the store's changes. In a transaction, await each call of the
 * store before your next statement: a failed call aborts a PostgreSQL transaction, and your statement may see half an
 * import. Give an embedded client in a transaction `retryForMs: 0`: its retries would fail and hold the connection. The
 * host keeps its pool settings, timeouts and name mapping, and closes the Knex. Throws a TypeError for knex drivers
 * other than `pg` and `sqlite3`.
 */
export const hostDatabase = (knex: Knex): Database => {
  const plain = withoutIdentifierMapping(knex);
  const driver = driverOf(plain);
  switch (driver) {
    case 'pg':
      return hostPostgres(plain);
    case 'sqlite3':
      return hostSqlite(plain);
    default:
      throw new TypeError(`the animal store supports the knex clients pg and sqlite3, not ${String(driver)}`);
  }
};
