import type { Knex } from 'knex';
import { hash } from 'node:crypto';
import { hasTable, type ReadColumns } from './database/store-database';

export interface Table {
  readonly name: string;
  readonly noun: string;
  readonly primaryKey: ReadonlyArray<string>;
}

// Tables whose rows are the contents of a store. Two others are left out: a heartbeat only shows that writes work, and
// the count of a rate limit is of no use after its window.
export const pets: Table = { name: 'pets', noun: 'animal', primaryKey: ['id'] };
export const apiKeys: Table = { name: 'api_keys', noun: 'API key', primaryKey: ['id'] };
export const idempotencyKeys: Table = {
  name: 'idempotency_keys',
  noun: 'idempotency key',
  primaryKey: ['owner_id', 'idempotency_key'],
};
export const changeRecords: Table = {
  name: 'animal_store_changes',
  noun: 'record of a change',
  primaryKey: ['id'],
};

const tables = [pets, apiKeys, idempotencyKeys, changeRecords];

/** True if a database has animals, API keys, idempotency keys or records of changes. */
export const hasContents = async (knex: Knex, statements: ReadColumns): Promise<boolean> => {
  for (const { name } of tables)
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
 * Reads a table in batches, and passes each to `onRows`. Values are read as text, because a JavaScript number would
 * lose digits of an int64. Returns the number of rows and the sum of their hashes. The order of rows does not change
 * the sum, because two databases may sort texts differently and yet have the same rows.
 */
export const readTable = async (
  from: Knex,
  { name, primaryKey }: Table,
  signal: AbortSignal,
  onRows?: (rows: ReadonlyArray<TextRow>) => Promise<void>,
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

/** Returns an array with a text that says how a table has changed since the copy, or an empty array if it has not. */
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
    for (const { name } of tables) {
      const counted = await from(name).count({ count: '*' }).first<{ count: number | string }>();
      rows += Number(counted.count);
    }
    return rows;
  } catch {
    return 0;
  }
};
