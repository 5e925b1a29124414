import type * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import type { Unavailable } from '../../../core';
import { attempt } from '../database/attempt';
import type { Database } from '../database/database';
import { migrationSource } from './migration-source';

/** The names of the migrations that a database lacks. It only reads. */
export const findPending = async (knex: Knex): Promise<ReadonlyArray<string>> => {
  const migrations = await migrationSource.getMigrations([]);
  const known = migrations.map((migration) => migrationSource.getMigrationName(migration));
  if (!(await knex.schema.hasTable('knex_migrations'))) return known;
  const done = new Set<unknown>(await knex('knex_migrations').pluck('name'));
  return known.filter((name) => !done.has(name));
};

const runPending = async ({
  reads,
  withMigrationLock,
  checkEncoding,
}: Database): Promise<ReadonlyArray<string>> => {
  await checkEncoding();
  if ((await findPending(reads)).length === 0) return [];
  return withMigrationLock(async (transaction) => {
    const pending = await findPending(transaction);
    await transaction.migrate.latest({ migrationSource });
    return pending;
  });
};

/**
 * Brings the database up to date, all in one transaction, and answers with what it ran. One that can't keep every text is
 * refused first. Of several processes one
 * migrates and the others wait; one that is killed leaves nothing behind.
 */
export const migrate = (database: Database): TE.TaskEither<Unavailable, ReadonlyArray<string>> =>
  attempt(() => runPending(database));
