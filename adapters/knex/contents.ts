import type { Knex } from 'knex';
import { hash } from 'node:crypto';
import { toIsoTimeOrNull } from './database/clock';
import { hasTable, type ReadColumns, type StoreDatabase } from './database/store-database';
import { type ContentTable, contentTables } from './database/tables';
import { toTaskEither } from './database/work';

/** True if a database has animals, API keys, idempotency keys or records of changes. */
export const hasContents = async (knex: Knex, statements: ReadColumns): Promise<boolean> => {
  for (const { name } of contentTables)
    if (
      (await hasTable(knex, statements, name)) &&
      (await knex(name).first<unknown>(knex.raw('1'))) !== undefined
    )
      return true;
  return false;
};

const rowsPerRead = 400;

export type TextRow = Readonly<Record<string, string | null>>;

/**
 * Reads a table in batches as text, because a JavaScript number loses digits of an int64. Returns the number of rows
 * and the sum of their hashes, which does not depend on the sort order of the database.
 */
export const readTable = async (
  from: Knex,
  { name, primaryKey }: ContentTable,
  signal: AbortSignal,
  onRows?: (rows: ReadonlyArray<TextRow>) => Promise<void> | void,
) => {
  const columns = Object.keys(await from(name).columnInfo()).sort();
  const texts = columns.map((column) => from.raw('cast(?? as text) as ??', [`${name}.${column}`, column]));
  const key = primaryKey.map((column) => `${name}.${column}`);
  let [count, sum] = [0, 0n];
  let last: TextRow | undefined;
  do {
    signal.throwIfAborted();
    const query = from(name).select(texts).orderBy(key).limit(rowsPerRead);
    if (last !== undefined) {
      const values = primaryKey.map((column) => last?.[column] ?? null);
      void query.whereRaw(`(${key.join()}) > (${key.map(() => '?').join()})`, values);
    }
    const rows: ReadonlyArray<TextRow> = await query;
    if (rows.length > 0) await onRows?.(rows);
    count += rows.length;
    for (const row of rows) sum += BigInt(`0x${hash('sha256', JSON.stringify(row))}`);
    last = rows.at(rowsPerRead - 1);
  } while (last !== undefined);
  return { count, sum };
};

export type TableDigest = Awaited<ReturnType<typeof readTable>>;

/** Returns how a table has changed since the copy, in an array of at most one text. */
export const differenceText = (
  noun: string,
  before: TableDigest,
  now: TableDigest,
): ReadonlyArray<string> => {
  const difference = now.count - before.count;
  const count = `${Math.abs(difference)} ${noun}${Math.abs(difference) === 1 ? '' : 's'}`;
  if (difference !== 0) return [`${count} ${difference > 0 ? 'missing in the target' : 'deleted since'}`];
  return now.sum === before.sum ? [] : [`changed ${noun}s`];
};

/** Counts the rows of all tables, only to show progress. Returns 0 if this fails, for example by a timeout. */
export const countRows = async (from: Knex): Promise<number> => {
  let rows = 0;
  try {
    for (const { name } of contentTables) {
      const counted = await from(name).count({ count: '*' }).first<{ count: number | string }>();
      rows += Number(counted.count);
    }
    return rows;
  } catch {
    return 0;
  }
};

/** Reads the number of animals, the last id, and the times of the newest animal and the last recorded use of a key. */
export const readContents = ({ withMigrationLock, statements }: StoreDatabase) =>
  // The transaction of the migration lock has no statement timeout, which a count of many animals would exceed.
  toTaskEither(() =>
    withMigrationLock(async (transaction) => {
      const { animals, newest } = await transaction('pets')
        .count({ animals: '*' })
        .max({ newest: 'created_at' })
        .first<{ animals: number | string; newest: number | string | null }>();
      const { used } = await transaction('api_keys')
        .max({ used: 'last_used_at' })
        .first<{ used: number | string | null }>();
      return {
        animals: Number(animals),
        lastId: await statements.readLastId(transaction),
        newestAt: toIsoTimeOrNull(newest),
        lastUsedAt: toIsoTimeOrNull(used),
      };
    }),
  );
