import type { Knex } from 'knex';
import { statSync } from 'node:fs';
import { findMissingColumns } from '../database/check-columns';
import { readPetFaults } from '../database/pet-faults';
import { withPool } from '../database/pool';
import { DiagnosedError, isKind, withoutStatement } from '../database/errors';
import { interruptOnAbort } from '../database/transactions';
import { openFile, openReadOnly } from './connection';
import { writeAtomically } from '../../files/partial';
import { isImmutable, refuseReadOnlyUser } from './database-file';
import { requireIntegrity } from './inspect-file';
import { sqliteStatements } from './statements';

/** Progress of a stage. `share` is a fraction from 0 to 1. */
type Measure = { readonly share: number } | { readonly count: number; readonly noun: string };

export interface BackupOptions {
  readonly signal: AbortSignal;
  /**
   * Called at the start of each stage. `measure` returns the progress, and is undefined for a stage without progress.
   */
  readonly onStage?: (stage: 'copying' | 'migrating' | 'checking', measure?: () => Measure) => void;
  /** Gets texts about the first animals in the copy that no request can read. */
  readonly onFaults?: (texts: ReadonlyArray<string>) => void;
}

/**
 * Writes a checked copy of a database, which may be in use, and replaces `file` if it exists. Only its owner can read a
 * new file. The owner is this process's user or, for root, the owner of the folder. Returns the number of animals.
 */
export const backupSqlite = async (
  database: string,
  file: string,
  { signal, ...hooks }: BackupOptions,
): Promise<number> => {
  const immutable = isImmutable(database);
  if (!immutable) refuseReadOnlyUser(database);
  return placeCheckedCopy(database, immutable ? openReadOnly : openFile, file, signal, hooks);
};

interface CopyHooks extends Required<Pick<BackupOptions, 'onStage' | 'onFaults'>> {
  readonly migrate: (copy: Knex) => Promise<void>;
  readonly beforeRename: () => void;
}

/**
 * Copies a store into a new file. Replaces `file` only after the copy is checked and synced to the disk. Returns the
 * number of animals.
 */
export const placeCheckedCopy = async (
  source: string,
  openSource: typeof openFile,
  file: string,
  signal: AbortSignal,
  { onStage, onFaults, migrate, beforeRename }: Partial<CopyHooks>,
): Promise<number> => {
  const writeCopy = async (copy: string): Promise<number> => {
    signal.throwIfAborted();
    const { size } = statSync(source);
    onStage?.('copying', () => {
      // Tolerates a missing copy, because the progress may be read after a failure has removed the copy.
      const copied = statSync(copy, { throwIfNoEntry: false })?.size ?? 0;
      return { share: Math.min(copied / size, 1) };
    });
    await withFile(source, openSource, signal, (from) => from.raw('vacuum into ?', [copy]));
    signal.throwIfAborted();
    // Opens the copy for writes too, because the check of a read-only file misses rows that violate a CHECK constraint.
    const { count } = await withFile(copy, openFile, signal, async (knex) => {
      if (migrate !== undefined) {
        onStage?.('migrating');
        await migrate(knex);
      }
      onStage?.('checking');
      await requireIntegrity(knex);
      const connection = { knex, statements: sqliteStatements };
      // Checks no animals if columns are missing. The copy is then of an earlier version, or can't be restored.
      if ((await findMissingColumns(connection)) === undefined)
        onFaults?.(await readPetFaults(connection, signal));
      return knex('pets').count({ count: '*' }).first<{ count: number }>();
    });
    return count;
  };
  try {
    return await writeAtomically(file, writeCopy, () => {
      signal.throwIfAborted();
      beforeRename?.();
    });
  } catch (error) {
    if (isKind('DiskFull', 'FileFull')(error))
      throw new DiagnosedError(`no space is left on the disk of ${file}; free space there`);
    if (!isKind('Damaged', 'NotSqlite')(error)) throw error;
    const { message } = withoutStatement(error);
    throw new DiagnosedError(`${source} or its copy is damaged: ${message}; restore an undamaged backup`);
  }
};

interface Interruptible {
  readonly interrupt: () => void;
}

// Runs work on a file. An abort of the signal interrupts even a running statement, which may take long.
const withFile = async <A>(
  filename: string,
  open: typeof openFile,
  signal: AbortSignal,
  work: (file: Knex) => Promise<A>,
): Promise<A> => {
  let connection: Interruptible | undefined;
  const afterCreate = (created: Interruptible, done: (error: null) => void): void => {
    connection = created;
    done(null);
  };
  const interrupt = (): void => {
    try {
      connection?.interrupt();
    } catch {
      // Ignores the error of a connection that is closed already.
    }
  };
  try {
    return await interruptOnAbort(() => withPool(open(filename, { afterCreate }), work), signal, interrupt);
  } catch (error) {
    signal.throwIfAborted();
    throw withoutStatement(error);
  }
};
