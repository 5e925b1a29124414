import type { TaskEither } from 'fp-ts/TaskEither';
import knex, { type Knex } from 'knex';
import type { Unavailable } from '../../core';
import type { OwnDatabase } from './database/own-database';
import type { StoreDatabase } from './database/store-database';
import { isKind, DiagnosedError, withoutStatement } from './database/errors';
import {
  countRows,
  differenceText,
  hasContents,
  readTable,
  type TableDigest,
  type TextRow,
} from './contents';
import { type ContentTable, contentTables } from './database/tables';
import { keepAwake } from './database/long-work';
import { inTransaction, toTaskEither } from './database/work';
import { checkColumns } from './database/check-columns';
import { readSchemaState } from './migrations/migrations';
import { fileInMode, poolConfiguration, withPragmas } from './sqlite/connection';
import { refuseReadOnlyUser } from './sqlite/file-access';
import { sqliteStatements } from './sqlite/statements';

interface CopySource extends Pick<StoreDatabase, 'readPool' | 'statements'> {
  /** True if no other program can change the source during the copy. */
  readonly isLocked?: true;
}

/**
 * Opens a SQLite file as the source of a copy. The first read fails with SQLITE_BUSY if another connection has the file
 * open. Throws if this user may only read an unused file, because SQLite would create a log that the file's owner can't
 * write.
 */
export const openSqliteSource = (filename: string): CopySource & Pick<OwnDatabase, 'close'> => {
  refuseReadOnlyUser(filename);
  const afterCreate = withPragmas(['locking_mode = EXCLUSIVE']);
  const readPool = knex(poolConfiguration(fileInMode(filename, 'rw'), { min: 1, afterCreate }));
  return { readPool, statements: sqliteStatements, isLocked: true, close: () => readPool.destroy() };
};

/** Fails if a SQLite source is in use, or if the migrations of the source are not exactly those of this version. */
export const checkCopySource = ({ readPool, statements }: CopySource): TaskEither<Unavailable, void> =>
  toTaskEither(async () => {
    const { pending, unknown } = await readSchemaState(readPool, statements).catch((error: unknown) => {
      if (!isKind('FileLocked')(error)) throw error;
      throw new DiagnosedError('it is in use; stop the service and every other program that has it open');
    });
    if (pending.length + unknown.length > 0)
      throw new DiagnosedError('its tables are not those of this version of animal-store', 'OtherMigrations');
    await checkColumns(readPool, statements);
  });

export interface CopyState {
  rows: number;
  /** Set to true to count all rows before the copy, so that `share` can be computed. */
  readonly showsShare?: boolean;
  /** Fraction of the work that is done, from 0 to 1. Undefined if the total number of rows is unknown. */
  share?: number;
  /** Phase of the copy. A failure while `committing` leaves the target either empty or complete. */
  phase: 'copying' | 'committing' | 'committed';
}

export interface CopiedStore {
  /** Numbers of rows, by the names of their tables. */
  readonly rows: ReadonlyMap<string, number>;
  readonly lastId: bigint;
}

/**
 * Copies the contents of a store with their ids into an empty, migrated database, in one transaction. Reads the copy
 * back before the commit, and rejects if it differs. Rejects after the commit if an unlocked source has changed, but
 * keeps the copy.
 */
export const copyStore = async (
  source: CopySource,
  target: StoreDatabase,
  state: CopyState,
  signal: AbortSignal,
): Promise<CopiedStore> => {
  const read = new Map<ContentTable, TableDigest>();
  const rowsToCopy = state.showsShare === true ? await countRows(source.readPool) : 0;
  const rowsToRead = rowsToCopy * (source.isLocked === true ? 2 : 3);
  let rowsRead = 0;
  const advance = (rows: ReadonlyArray<TextRow>): Promise<void> => {
    rowsRead += rows.length;
    if (rowsToRead > 0) state.share = Math.min(rowsRead / rowsToRead, 1);
    return Promise.resolve();
  };

  const copyTable = async (table: ContentTable, from: Knex, to: Knex): Promise<number> => {
    const copied = await readTable(from, table, signal, async (rows) => {
      await to(table.name).insert(rows);
      state.rows += rows.length;
      await advance(rows);
    });
    const readBack = await readTable(to, table, signal, advance);
    if (readBack.count !== copied.count || readBack.sum !== copied.sum)
      throw new DiagnosedError(
        `the target differs from the source in table ${table.name}; stop every service that uses the target`,
      );
    read.set(table, copied);
    return copied.count;
  };

  const copyTables = async (to: Knex): Promise<CopiedStore> => {
    if (await hasContents(to, target.statements))
      throw new DiagnosedError(
        'the target has animals, keys or records of changes already; copy into an empty database',
      );
    const copyRows = async (from: Knex): Promise<CopiedStore> => {
      const rows = new Map<string, number>();
      for (const table of contentTables) rows.set(table.name, await copyTable(table, from, to));
      const lastId = await source.statements.readLastId(from);
      if (lastId > 0n) await target.statements.setLastId(to, lastId);
      state.phase = 'committing';
      return { rows, lastId };
    };
    // With `repeatable read`, all statements read the same state of the source. SQLite always works like this, and Knex
    // ignores the level there.
    const copyAwake = (from: Knex) => keepAwake(to, () => keepAwake(from, () => copyRows(from)));
    return inTransaction(source.readPool, copyAwake, {
      config: { isolationLevel: 'repeatable read', readOnly: true },
    });
  };

  const findDifferences = async ({ lastId }: CopiedStore): Promise<ReadonlyArray<string>> => {
    const differences: Array<string> = [];
    for (const [table, before] of read)
      differences.push(
        ...differenceText(table.noun, before, await readTable(source.readPool, table, signal, advance)),
      );
    const next = await source.statements.readLastId(source.readPool);
    return next === lastId || differences.length > 0 ? differences : [`the last id, which is ${next} now`];
  };

  try {
    const copied = await target.withMigrationLock(copyTables);
    state.phase = 'committed';
    const differences = source.isLocked === true ? [] : await findDifferences(copied);
    if (differences.length === 0) return copied;
    throw new DiagnosedError(
      `the source has changed since the copy began, because its services were not stopped: ${differences.join(', ')}`,
    );
  } catch (error) {
    throw withoutStatement(error);
  }
};
