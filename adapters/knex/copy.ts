import * as E from 'fp-ts/Either';
import { constVoid } from 'fp-ts/function';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import type { Unavailable } from '../../core';
import type { StoreDatabase } from './database/store-database';
import { DiagnosedError, isKind, toTaskEither, withoutStatement } from './database/errors';
import { inTransaction, keepAwake } from './database/transactions';
import { hasContents } from './contents';
import { countRows, differenceText, readTable, type TableDigest, type TextRow } from './table-digest';
import { type ContentTable, contentTables } from './database/tables';
import { requireColumns } from './database/check-columns';
import { petColumns, petFromRow } from './database/pet-columns';
import { readSchemaState } from './migrations/schema-state';

interface CopySource extends Pick<StoreDatabase, 'readPool' | 'statements'> {
  /** True if no other program can change the source during the copy. */
  readonly isLocked?: true;
}

/** Fails if a SQLite source is in use, or if the migrations of the source are not exactly those of this version. */
export const checkCopySource = ({ readPool, statements }: CopySource): TaskEither<Unavailable, void> =>
  toTaskEither(async () => {
    const connection = { knex: readPool, statements };
    const { pending, unknown } = await readSchemaState(connection).catch((error: unknown) => {
      if (!isKind('FileLocked')(error)) throw error;
      throw new DiagnosedError('it is in use; stop the service and every other program that has it open');
    });
    if (pending.length + unknown.length > 0)
      throw new DiagnosedError('its tables are not those of this version of animal-store', 'OtherMigrations');
    await requireColumns(connection);
  });

export interface CopyProgress {
  /** Stage of the copy. If it fails while `committing`, the target is either empty or complete. */
  readonly phase: 'copying' | 'committing' | 'committed';
  /** Number of rows that were copied. */
  readonly rows: number;
  /** Fraction of the work that is done, from 0 to 1. Undefined if the total number of rows is unknown. */
  readonly share?: number | undefined;
}

export interface CopyOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: CopyProgress) => void;
  /** True to count all rows before the copy, so that the progress can be a percentage. */
  readonly countsRows?: boolean;
}

export interface CopiedStore {
  /** Numbers of rows, by the names of their tables. */
  readonly rows: ReadonlyMap<string, number>;
  readonly lastId: bigint;
}

/** Failure of a copy, with the database in which it happened. */
export interface CopyFailed {
  readonly _tag: 'CopyFailed';
  readonly database: 'source' | 'target';
  readonly cause: Error;
}

/**
 * Copies the contents of a store with their ids into an empty, migrated database, in one transaction. Reads the copy
 * back before the commit, and fails if it differs from the source. Fails after the commit if an unlocked source has
 * changed, but keeps the copy.
 */
export const copyStore =
  (
    source: CopySource,
    target: StoreDatabase,
    { signal, onProgress = constVoid, countsRows = false }: CopyOptions,
  ): TaskEither<CopyFailed, CopiedStore> =>
  async () => {
    const isLocked = source.isLocked === true;
    // Number of reads of each row: in the source, in the copy and, unless the source is locked, in the source again.
    const readsPerRow = isLocked ? 2 : 3;
    const rowsToRead = countsRows ? readsPerRow * (await countRows(source.readPool)) : 0;
    let rowsRead = 0;
    let progress: CopyProgress = { phase: 'copying', rows: 0 };
    const report = (changes: Partial<CopyProgress>): void => {
      progress = { ...progress, ...changes };
      onProgress(progress);
    };
    let failedIn: CopyFailed['database'] | undefined;
    const steps: Steps = {
      signal,
      inDatabase: async (database, work) => {
        try {
          return await work();
        } catch (error) {
          failedIn ??= database;
          throw error;
        }
      },
      onCopied: ({ length }) => {
        report({ rows: progress.rows + length });
      },
      onRead: ({ length }) => {
        rowsRead += length;
        if (rowsToRead > 0) report({ share: Math.min(rowsRead / rowsToRead, 1) });
      },
    };
    try {
      const copied = await steps.inDatabase('target', () =>
        target.withStoreLock(async (to) => {
          const tables = await copyTables(source, target, to, steps);
          report({ phase: 'committing' });
          return tables;
        }),
      );
      report({ phase: 'committed' });
      const differences = isLocked ? [] : await findDifferences(source, copied, steps);
      if (differences.length > 0)
        throw new DiagnosedError(
          `the source has changed since the copy began, because its services were not stopped: ${differences.join(', ')}`,
        );
      const { digests, lastId } = copied;
      const rows = new Map([...digests].map(([{ name }, { count }]) => [name, count]));
      return E.right({ rows, lastId });
    } catch (error) {
      return E.left({ _tag: 'CopyFailed', database: failedIn ?? 'source', cause: withoutStatement(error) });
    }
  };

interface Steps {
  readonly signal: AbortSignal;
  /** Runs work on `database`. If it rejects, CopyFailed names this database, unless a nested call has rejected. */
  readonly inDatabase: <A>(database: CopyFailed['database'], work: () => Promise<A>) => Promise<A>;
  readonly onCopied: (rows: ReadonlyArray<TextRow>) => void;
  readonly onRead: (rows: ReadonlyArray<TextRow>) => void;
}

interface Copied {
  readonly digests: ReadonlyMap<ContentTable, TableDigest>;
  readonly lastId: bigint;
}

const copyTables = async (
  source: CopySource,
  target: StoreDatabase,
  to: Knex,
  steps: Steps,
): Promise<Copied> => {
  if (await hasContents({ knex: to, statements: target.statements }))
    throw new DiagnosedError(
      'the target has animals, keys or records of changes already; copy into an empty database',
    );
  const { inDatabase } = steps;
  const copyRows = async (from: Knex): Promise<Copied> => {
    const digests = new Map<ContentTable, TableDigest>();
    for (const table of contentTables) digests.set(table, await copyTable(table, from, to, steps));
    const lastId = await source.statements.readLastId(from);
    if (lastId > 0n) await inDatabase('target', () => target.statements.setLastId(to, lastId));
    return { digests, lastId };
  };
  // Makes all statements read the same state of the source. On SQLite, Knex ignores the level, because each transaction
  // reads a single state.
  const config = { isolationLevel: 'repeatable read', readOnly: true } as const;
  const readSource = () =>
    inTransaction(source.readPool, (from) => keepAwake(from, () => copyRows(from)), { config });
  // Keeps the connection of the target awake too, because each of the two is idle while the other one works.
  return keepAwake(to, () => inDatabase('source', readSource));
};

const copyTable = async (
  table: ContentTable,
  from: Knex,
  to: Knex,
  { signal, inDatabase, onCopied, onRead }: Steps,
): Promise<TableDigest> => {
  const copied = await readTable(from, table, signal, async (rows) => {
    // Checks the values here, because SQLite may store values that an animal can't have. This error names the id of the
    // animal; an error of the target would not.
    if (table.name === 'pets')
      for (const row of rows) petFromRow(petColumns.map(({ name }) => row[name] ?? null));
    await inDatabase('target', async () => to(table.name).insert(rows));
    onCopied(rows);
    onRead(rows);
  });
  return inDatabase('target', async () => {
    const readBack = await readTable(to, table, signal, onRead);
    if (readBack.count === copied.count && readBack.sum === copied.sum) return copied;
    throw new DiagnosedError(
      `the target differs from the source in table ${table.name}; stop every service that uses the target`,
    );
  });
};

const findDifferences = async (
  { readPool, statements }: CopySource,
  { digests, lastId }: Copied,
  { signal, onRead }: Steps,
): Promise<ReadonlyArray<string>> => {
  const differences: Array<string> = [];
  for (const [table, before] of digests) {
    const now = await readTable(readPool, table, signal, onRead);
    differences.push(...differenceText(table.noun, before, now));
  }
  const next = await statements.readLastId(readPool);
  return next === lastId || differences.length > 0 ? differences : [`the last id, which is ${next} now`];
};
