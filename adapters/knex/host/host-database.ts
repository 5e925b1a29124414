import type { Knex } from 'knex';
import type { Database } from '../database/database';
import { withMigrationLock } from '../postgres/migration-lock';
import { isDistributed } from '../postgres/engine';
import { checkEncoding, durabilityOf as postgresDurabilityOf, sizesOf } from '../postgres/postgres';
import { postgresPetStatements } from '../postgres/postgres-pet-statements';
import { statementRunner } from '../postgres/statement-runner';
import { durabilityOf as sqliteDurabilityOf } from '../sqlite/durability-of';
import { readSize } from '../sqlite/file-sizes';
import { withWriteLock } from '../sqlite/with-write-lock';
import { sqlitePetStatements } from '../sqlite/sqlite-pet-statements';
import { withPlainNames } from './with-plain-names';

/** What a kind of database brings; the rest is the host's. */
type Kind = Pick<
  Database,
  'petStatements' | 'lanes' | 'withMigrationLock' | 'checkUsable' | 'durability' | 'sizes'
>;

/** Knex says nowhere which client it was made with but here. */
const driverOf = ({ client }: { readonly client: { readonly driverName?: unknown } }): unknown =>
  client.driverName;

/** Learned once, by the connection that wants to know: a host's pool may have no other. */
const learnEngine = () => {
  let known: boolean | undefined;
  return async (connected: Knex) => ({ isDistributed: (known ??= await isDistributed(connected)) });
};

const kindOf = (knex: Knex): Kind => {
  const driver = driverOf(knex);
  switch (driver) {
    case 'pg':
      return {
        petStatements: postgresPetStatements(
          statementRunner(() => Promise.resolve(false)),
          learnEngine(),
        ),
        // A transaction has one connection, and a host's pool has others to serve.
        lanes: knex.isTransaction === true ? { reads: 1, writes: 1 } : { reads: 2, writes: 2 },
        withMigrationLock: withMigrationLock((use) => use(knex)),
        checkUsable: () => checkEncoding(knex),
        durability: () => postgresDurabilityOf(knex),
        sizes: () => sizesOf(knex),
      };
    case 'sqlite3':
      return {
        petStatements: sqlitePetStatements,
        lanes: { reads: 1, writes: 1 },
        withMigrationLock: (work) => withWriteLock(knex, work),
        checkUsable: () => Promise.resolve(),
        durability: () => sqliteDurabilityOf(knex),
        sizes: async () => ({
          database: await readSize(knex),
          writeAheadLog: undefined,
          diskAvailable: undefined,
        }),
      };
    default:
      throw new TypeError(`the animal store knows the knex clients pg and sqlite3, not ${String(driver)}`);
  }
};

/**
 * The database behind a host's own knex, or inside a transaction of the host's: what the store does in it is committed or
 * rolled back with what the host does. In a transaction await each call before the next statement; on PostgreSQL a
 * statement that fails ends the transaction, as ever; and it sees what an import within it has added so far. How the pool
 * is set up, how long a statement may take, how it maps names, and closing it are the host's. Throws a TypeError where
 * knex talks to neither PostgreSQL (`pg`) nor SQLite (`sqlite3`).
 */
export const hostDatabase = (knex: Knex): Database => {
  const plain = withPlainNames(knex);
  return {
    ...kindOf(plain),
    reads: plain,
    writes: plain,
    preparesStatements: () => Promise.resolve(false),
    limits: () => Promise.resolve(undefined),
    isFileReplaced: () => false,
    isFileIntact: () => true,
    poolUsage: () => [],
    close: () => Promise.resolve(),
  };
};
