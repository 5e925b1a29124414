import type { Knex } from 'knex';
import type { Database } from './database/database';
import { withMigrationLock } from './postgres/migration-lock';
import { postgresPetStatements } from './postgres/pet-statements';
import { isDistributed, sizesOf } from './postgres/postgres';
import { checkEncoding, durabilityOf as postgresDurabilityOf } from './postgres/server-settings';
import { statementRunner } from './postgres/statement';
import { readSize } from './sqlite/file';
import { type FoundRows, sqlitePetStatements } from './sqlite/pet-statements';
import { durabilityOf as sqliteDurabilityOf, withWriteLock } from './sqlite/sqlite';

const partOf = (owner: object, name: string): object => {
  const part: unknown = Reflect.get(owner, name);
  if (typeof part === 'object' && part !== null) return part;
  throw new TypeError(`this version of knex is not supported: it has no ${name}`);
};

/**
 * Returns the same Knex without the host's `wrapIdentifier` and `postProcessResponse`, because the store uses plain
 * column names. Knex's migrations would disable both for the rest of the host's transaction. Uses undocumented parts of
 * Knex.
 */
const withoutIdentifierMapping = (knex: Knex): Knex => {
  const client = partOf(knex, 'client');
  const config = { ...partOf(client, 'config'), wrapIdentifier: null, postProcessResponse: null };
  const context = { __proto__: partOf(knex, 'context'), client: { __proto__: client, config } };
  const plain: Knex = new Proxy(knex, {
    get: (target, name, receiver): unknown =>
      name === 'context' ? context : Reflect.get(target, name, receiver),
    // A call such as knex('pets') would build its query with the host's client.
    apply: (_target, _this, [table]: [string]) => plain.queryBuilder().table(table),
  });
  return plain;
};

/** Detects the engine once, on the caller's connection, because the host's pool may have only one. */
const detectEngineOnce = () => {
  let known: boolean | undefined;
  return async (connected: Knex) => ({ isDistributed: (known ??= await isDistributed(connected)) });
};

/**
 * Returns the database of a host's Knex, or of a transaction, whose commit or rollback then includes the store's
 * changes. In a transaction, await each call before your next statement: a failed call aborts a PostgreSQL transaction,
 * and your statement may see half an import. Give an embedded client in a transaction `retryForMs: 0`: its retries
 * would fail and hold the connection. Pool settings, timeouts, name mapping and closing remain the host's. Throws a
 * TypeError for knex drivers other than `pg` and `sqlite3`.
 */
export const hostDatabase = (knex: Knex): Database => {
  const plain = withoutIdentifierMapping(knex);
  const driver: unknown = Reflect.get(partOf(plain, 'client'), 'driverName');
  const shared = {
    reads: plain,
    writes: plain,
    preparesStatements: () => Promise.resolve(false),
    sessionTimeouts: () => Promise.resolve(undefined),
    isFileReplaced: () => false,
    isFileIntact: () => Promise.resolve(true),
    poolUsage: () => [],
    close: () => Promise.resolve(),
  };
  switch (driver) {
    case 'pg':
      return {
        ...shared,
        petStatements: postgresPetStatements(
          statementRunner(() => Promise.resolve(false)),
          detectEngineOnce(),
        ),
        concurrency: plain.isTransaction === true ? { reads: 1, writes: 1 } : { reads: 2, writes: 2 },
        withMigrationLock: withMigrationLock((use) => use(plain)),
        checkUsable: () => checkEncoding(plain),
        durability: () => postgresDurabilityOf(plain),
        sizes: () => sizesOf(plain),
      };
    case 'sqlite3':
      return {
        ...shared,
        petStatements: sqlitePetStatements((connected, sql, bindings) =>
          connected.raw<FoundRows>(sql, [...bindings]),
        ),
        concurrency: { reads: 1, writes: 1 },
        withMigrationLock: (work) => withWriteLock(plain, work),
        checkUsable: () => Promise.resolve(),
        durability: () => sqliteDurabilityOf(plain),
        sizes: async () => ({
          database: await readSize(plain),
          writeAheadLog: undefined,
          diskAvailable: undefined,
        }),
      };
    default:
      throw new TypeError(`the animal store supports the knex clients pg and sqlite3, not ${String(driver)}`);
  }
};
