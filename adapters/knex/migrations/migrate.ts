import { constVoid, pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Unavailable } from '../../../core';
import type { OpenedDatabase } from '../database/opened-database';
import type { Connection, StoreDatabase } from '../database/store-database';
import { requireColumns, otherTablesText } from '../database/check-columns';
import { DiagnosedError, errorKindOf, isKind, toTaskEither, withoutStatement } from '../database/errors';
import { retry } from '../database/transactions';
import { databaseTimeouts } from '../database/timeouts';
import { migrationConfig } from './migrations';
import { readSchemaState, readUsableSchemaState, requireGeneration, type SchemaState } from './schema-state';

export interface MigrateOptions {
  /**
   * Permits migrations after which earlier versions of the program can't use the database (a new schema generation).
   * The default is false. Before you set this option, stop all instances of earlier versions and make a backup.
   */
  readonly mayRaiseGeneration?: boolean;
  /** Receives a message when the migration starts to wait for a lock, and before it changes the tables of a store. */
  readonly onProgress?: (text: string) => void;
  /** Signal that ends the wait for a lock within seconds. It does not stop a migration that is running. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the pending migrations in one transaction and returns their names. If several processes call it at once, one
 * migrates and the others wait for at most ten minutes. The migration itself has no time limit. A killed process leaves
 * no partial migration. Fails if the database belongs to another program, or cannot store all of Unicode. Also fails if
 * the generation of its schema is newer than this version's, or older and `mayRaiseGeneration` is not set.
 */
export const migrate = (
  database: StoreDatabase,
  options: MigrateOptions = {},
): TE.TaskEither<Unavailable, ReadonlyArray<string>> =>
  pipe(
    migrateWith(database, options, true),
    TE.map((ran = []) => ran),
  );

/** Failure for a database without the tables of an animal store. */
export interface NotInitialized {
  readonly _tag: 'NotInitialized';
}

const notInitialized: NotInitialized = { _tag: 'NotInitialized' };

/**
 * Migrates an existing store, as `migrate` does. Fails with NotInitialized if the database has no store, so that a
 * command with a wrong address creates no tables.
 */
export const migrateExisting = (
  database: StoreDatabase,
  options: MigrateOptions,
): TE.TaskEither<Unavailable | NotInitialized, ReadonlyArray<string>> =>
  pipe(migrateWith(database, options, false), TE.flatMap(TE.fromNullable(notInitialized)));

export const readSchema = ({
  readPool,
  statements,
}: StoreDatabase): TE.TaskEither<Unavailable, SchemaState> =>
  toTaskEither(() => readSchemaState({ knex: readPool, statements }));

/** Reads the state of the tables. Fails if this version can't work with them. */
export const readUsableSchema = ({
  readPool,
  statements,
}: StoreDatabase): TE.TaskEither<Unavailable, SchemaState> =>
  toTaskEither(() => readUsableSchemaState({ knex: readPool, statements }));

/**
 * Runs the pending migrations and rolls them back, to test the rights of the role. A timeout counts as success, because
 * PostgreSQL has checked the rights by then.
 */
export const tryMigrate = async ({ statements, runTrial }: OpenedDatabase): Promise<void> => {
  await runTrial((knex) => runMigrations({ knex, statements })).catch((error: unknown) => {
    if (!isKind('RowLocked', 'StatementTimeout')(error)) throw error;
  });
};

const migrateWith = (
  database: StoreDatabase,
  options: MigrateOptions,
  mayCreate: boolean,
): TE.TaskEither<Unavailable, ReadonlyArray<string> | undefined> => {
  const onWait = () =>
    options.onProgress?.('waiting to migrate: another process migrates or locks the database');
  return toTaskEither(() =>
    retryLocked(onWait, options.signal, () => runPending(database, options, mayCreate)),
  );
};

const runPending = async (
  { readPool, statements, withStoreLock }: StoreDatabase,
  { mayRaiseGeneration = false, onProgress = constVoid }: MigrateOptions,
  mayCreate: boolean,
): Promise<ReadonlyArray<string> | undefined> => {
  const stateBefore = await readSchemaState({ knex: readPool, statements });
  if (stateBefore.generation === 0 && !mayCreate) return undefined;
  requireGeneration(stateBefore, mayRaiseGeneration);
  if (stateBefore.pending.length === 0) {
    await requireColumns({ knex: readPool, statements });
    return [];
  }
  return withStoreLock(async (knex) => {
    const connection = { knex, statements };
    const state = await readSchemaState(connection);
    requireGeneration(state, mayRaiseGeneration);
    if (state.pending.length === 0) return [];
    if (state.generation > 0) onProgress(`migrating (${state.pending.join(', ')})`);
    await runMigrations(connection);
    return state.pending;
  });
};

/**
 * Runs the pending migrations in a transaction. Rejects with advice if a table that they create exists, if the role may
 * not run them, or if columns are missing after them.
 */
export const runMigrations = async (connection: Connection): Promise<void> => {
  try {
    await connection.knex.migrate.latest(migrationConfig);
  } catch (error) {
    const { message } = withoutStatement(error);
    switch (errorKindOf(error)) {
      case 'ObjectExists':
        throw new DiagnosedError(
          `${message}, and belongs to another program; use a separate database, or a separate schema on PostgreSQL`,
        );
      case 'MissingObject':
        throw new DiagnosedError(otherTablesText(message));
      case 'NoRight':
        throw new DiagnosedError(message, 'MayNotMigrate');
      default:
        throw error;
    }
  }
  await requireColumns(connection);
};

const isLocked = isKind('RowLocked', 'FileLocked', 'Conflict');

const retryLocked = <A>(
  onWait: () => void,
  signal: AbortSignal | undefined,
  work: () => Promise<A>,
): Promise<A> => {
  const deadline = performance.now() + databaseTimeouts.migrationWaitMs;
  const pauseMs = (error: unknown, attempt: number): number | undefined => {
    if (!isLocked(error) || performance.now() > deadline) return undefined;
    if (attempt === 1) onWait();
    return databaseTimeouts.migrationPauseMs;
  };
  return retry(work, pauseMs, signal);
};
