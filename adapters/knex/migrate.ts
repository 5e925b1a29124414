import type * as TE from 'fp-ts/TaskEither';
import type { Unavailable } from '../../core';
import { attempt } from './attempt';
import type { Database } from './database';
import { migrationSource } from './migration-source';

const findPending = async ({ reads }: Database): Promise<ReadonlyArray<string>> => {
  const known = await migrationSource.getMigrations([]);
  if (!(await reads.schema.hasTable('knex_migrations'))) return known;
  const done = new Set<unknown>(await reads('knex_migrations').pluck('name'));
  return known.filter((name) => !done.has(name));
};

const runPending = async (database: Database): Promise<ReadonlyArray<string>> => {
  const pending = await findPending(database);
  if (pending.length === 0) return [];
  return database.writes.transaction(async (transaction) => {
    await database.lockSetup(transaction);
    const [, ran]: [number, ReadonlyArray<string>] = await transaction.migrate.latest({ migrationSource });
    return ran;
  });
};

/** The names of the migrations that the database still lacks. It only reads. */
export const pendingMigrations = (database: Database): TE.TaskEither<Unavailable, ReadonlyArray<string>> =>
  attempt(() => findPending(database));

/**
 * Brings the database up to date, all in one transaction, and answers with what it ran. Of several processes one
 * migrates and the others wait; one that is killed leaves nothing behind.
 */
export const migrate = (database: Database): TE.TaskEither<Unavailable, ReadonlyArray<string>> =>
  attempt(() => runPending(database));
