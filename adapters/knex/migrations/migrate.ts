import * as E from 'fp-ts/Either';
import { constVoid } from 'fp-ts/function';
import type * as TE from 'fp-ts/TaskEither';
import { setTimeout as delay } from 'node:timers/promises';
import { type Unavailable, unavailable } from '../../../core';
import type { Database } from '../database/database';
import {
  isPermanent,
  isPostgresLockTimeout,
  isSqliteBusy,
  permanentError,
  withoutStatement,
} from '../database/errors';
import { tryAndRollBack } from '../database/connections';
import { generationMismatch, migrationConfig, readSchemaState, type SchemaState } from './migrations';

/**
 * Permanent failure of a migration, so that a retry does not help. The database belongs to another program, has another
 * program's table with a name that the store needs, or has an unsupported schema or encoding. The message of `cause`
 * says what to do.
 */
export interface MigrationFailed {
  readonly _tag: 'MigrationFailed';
  readonly cause: Error;
}

export interface MigrateOptions {
  /**
   * Permits migrations after which earlier versions of the program can't use the database (a new schema generation).
   * The default is false. Before you set it, stop all instances of earlier versions and make a backup.
   */
  readonly mayRaiseGeneration?: boolean;
  /** Receives a message about the current stage every five seconds. */
  readonly onProgress?: (text: string) => void;
}

const progressIntervalMs = 5_000;

const maxWaitMs = 600_000;

/**
 * Pause before the retry of a migration that waited too long for a lock. In the pause, the statements run that were
 * queued behind the migration.
 */
const lockRetryMs = 500;

const takenName = /^(?:SQLITE_ERROR: )?(?:table|relation|index) [`"]?(\w+)[`"]? already exists/;

const lockedByKnex = 'Migration table is already locked';

const explain = (error: Error): Error => {
  if (error.message === lockedByKnex)
    return permanentError(
      `${error.message}: another process runs migrations with Knex; if none does, run \`knex migrate:unlock\``,
    );
  const [, name] = takenName.exec(error.message) ?? [];
  if (name === undefined) return error;
  return permanentError(
    `${error.message}: ${name} belongs to another program; use a separate database, or a separate schema on PostgreSQL`,
  );
};

const attemptMigration =
  <A>(work: () => Promise<A>): TE.TaskEither<MigrationFailed | Unavailable, A> =>
  async () => {
    try {
      return E.right(await work());
    } catch (thrown) {
      const cause = explain(withoutStatement(thrown));
      return E.left(isPermanent(cause) ? { _tag: 'MigrationFailed', cause } : unavailable(cause));
    }
  };

const withProgress = async <A>(
  onProgress: (text: string) => void,
  work: (enter: (stage: string) => void) => Promise<A>,
): Promise<A> => {
  const began = performance.now();
  let stage = 'waiting for the database, which another process may have locked';
  const timer = setInterval(() => {
    onProgress(`${stage}: ${Math.round((performance.now() - began) / 1_000)} s elapsed`);
  }, progressIntervalMs);
  try {
    return await work((next) => {
      stage = next;
    });
  } finally {
    clearInterval(timer);
  }
};

const retryLocked = async <A>(work: () => Promise<A>): Promise<A> => {
  const until = performance.now() + maxWaitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(isPostgresLockTimeout(error) || isSqliteBusy(error)) || performance.now() > until) throw error;
      await delay(lockRetryMs);
    }
  }
};

const checkGeneration = (state: SchemaState, mayRaiseGeneration: boolean): void => {
  const mismatch = generationMismatch(state);
  if (mismatch === undefined || (mayRaiseGeneration && state.generation < state.expectedGeneration)) return;
  throw permanentError(mismatch);
};

const runPending = async (
  { reads, withMigrationLock, checkUsable }: Database,
  mayRaiseGeneration: boolean,
  enter: (stage: string) => void,
): Promise<ReadonlyArray<string>> => {
  await checkUsable();
  const found = await readSchemaState(reads);
  checkGeneration(found, mayRaiseGeneration);
  if (found.pending.length === 0) return [];
  enter('waiting to migrate while another process migrates or locks the database');
  return withMigrationLock(async (transaction) => {
    const state = await readSchemaState(transaction);
    checkGeneration(state, mayRaiseGeneration);
    if (state.pending.length === 0) return [];
    enter(`migrating (${state.pending.join(', ')})`);
    await transaction.migrate.latest(migrationConfig);
    return state.pending;
  });
};

/**
 * Runs the pending migrations in one transaction and returns their names. In the app, the files of `app/backend/` call
 * it. If several processes call it at once, one migrates and the others wait, for at most ten minutes. The migration
 * itself has no time limit. A killed process leaves no partial migration. Fails with MigrationFailed if a retry can't
 * help, and with Unavailable otherwise.
 */
export const migrate = (
  database: Database,
  { mayRaiseGeneration = false, onProgress = constVoid }: MigrateOptions = {},
): TE.TaskEither<MigrationFailed | Unavailable, ReadonlyArray<string>> =>
  attemptMigration(() =>
    withProgress(onProgress, (enter) => retryLocked(() => runPending(database, mayRaiseGeneration, enter))),
  );

/** Failure for a database without the tables of an animal store. */
export interface NotInitialized {
  readonly _tag: 'NotInitialized';
}

const hasStore = async ({ reads, checkUsable }: Database): Promise<boolean> => {
  try {
    await checkUsable();
  } catch (error) {
    if (isPermanent(error)) return false;
    throw error;
  }
  return (await readSchemaState(reads)).generation > 0;
};

/**
 * Migrates a database that has the tables of a store, as `migrate` does. Otherwise fails with NotInitialized and
 * changes nothing, so that a command with a wrong address makes no tables. app/backend/database.ts calls it.
 */
export const migrateExisting =
  (
    database: Database,
    options: MigrateOptions,
  ): TE.TaskEither<MigrationFailed | Unavailable | NotInitialized, ReadonlyArray<string>> =>
  async () => {
    const found = await attemptMigration(() =>
      withProgress(options.onProgress ?? constVoid, () => retryLocked(() => hasStore(database))),
    )();
    if (E.isLeft(found)) return found;
    return found.right ? migrate(database, options)() : E.left({ _tag: 'NotInitialized' });
  };

export const tryMigrate = ({ writes }: Database): TE.TaskEither<MigrationFailed | Unavailable, void> =>
  attemptMigration(() =>
    tryAndRollBack(writes, async (transaction) => {
      await transaction.migrate.latest(migrationConfig);
    }),
  );
