import type { Knex } from 'knex';
import { hash } from 'node:crypto';
import { type ContentTable, contentTables } from './database/tables';

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

/** Describes how a table has changed since the copy, in an array of one text or none. */
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
