import { constVoid } from 'fp-ts/function';
import type * as TE from 'fp-ts/TaskEither';
import type { Unavailable } from '../../../core';
import type { Database } from '../database/database';
import { permanentError } from '../database/database-error';
import { retryLocked } from '../database/retry-locked';
import { migrationConfig } from './migration-config';
import { attemptMigration, type MigrationFailed } from './migration-failed';
import { moveRecord } from './migration-record';
import { generationMismatch, readSchemaState, type SchemaState } from './schema-state';
import { tellProgress } from './tell-progress';

/** How a database is migrated. */
export interface MigrateOptions {
  /**
   * Whether the schema may become one of a later generation, which breaks programs of earlier versions that run on it.
   * By default that is refused: see that none is left, and take a backup first.
   */
  readonly mayRaiseGeneration?: boolean;
  /** Told every five seconds what goes on, in words that a person reads. */
  readonly onProgress?: (text: string) => void;
}

const checkGeneration = (state: SchemaState, mayRaiseGeneration: boolean): void => {
  const mismatch = generationMismatch(state);
  if (mismatch === undefined || (mayRaiseGeneration && state.generation < state.expected)) return;
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
  if (found.pending.length === 0 && found.former.length === 0) return [];
  enter('waiting to migrate until others give the database free');
  return withMigrationLock(async (transaction) => {
    const state = await readSchemaState(transaction);
    checkGeneration(state, mayRaiseGeneration);
    if (state.former.length > 0) await moveRecord(transaction, state.former);
    if (state.pending.length > 0) {
      enter(`migrating (${state.pending.join(', ')})`);
      await transaction.migrate.latest(migrationConfig);
    }
    return state.pending;
  });
};

/**
 * Brings the database up to date, all in one transaction, and answers with what it ran. A database that can't keep every
 * text or is another program's is refused first. It takes as long as it needs. Of several processes one migrates and the
 * others wait, ten minutes at most; one that is killed leaves nothing behind.
 */
export const migrate = (
  database: Database,
  { mayRaiseGeneration = false, onProgress = constVoid }: MigrateOptions = {},
): TE.TaskEither<MigrationFailed | Unavailable, ReadonlyArray<string>> =>
  attemptMigration(() =>
    tellProgress(onProgress, (enter) => retryLocked(() => runPending(database, mayRaiseGeneration, enter))),
  );
