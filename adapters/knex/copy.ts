import type { TaskEither } from 'fp-ts/TaskEither';
import { hash } from 'node:crypto';
import knex, { type Knex } from 'knex';
import type { Unavailable } from '../../core';
import { driverOf, inTransaction } from './database/connections';
import type { Database } from './database/database';
import { isSqliteBusy, permanentError, toTaskEither, withoutStatement } from './database/errors';
import { generationMismatch, readSchemaState, type SchemaState } from './migrations/migrations';
import { fileInMode, poolConfiguration, withPragmas } from './sqlite/connection';

/** Tables to copy, with their primary keys. Heartbeats and rate limits belong to a running service, so they stay. */
const tables = {
  pets: ['id'],
  api_keys: ['id'],
  creation_keys: ['owner_id', 'idempotency_key'],
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>;

type Table = keyof typeof tables;

const isTable = (name: string): name is Table => name in tables;

const tableNames = Object.keys(tables).filter(isTable);

type Cells = Readonly<Record<string, string | null>>;

/**
 * Opens a SQLite file as the source of a copy. The first read fails with SQLITE_BUSY if another connection has the file
 * open. Afterwards no other connection can open it.
 */
export const openSqliteSource = (filename: string): Knex =>
  knex(
    poolConfiguration(fileInMode(filename, 'rw'), {
      min: 1,
      afterCreate: withPragmas(['locking_mode = EXCLUSIVE']),
    }),
  );

const refusalOf = (state: SchemaState): string | undefined => {
  if (state.generation === 0) return 'there is no animal store in it; set DATABASE_URL to the right database';
  const mismatch = generationMismatch(state);
  if (mismatch !== undefined) return mismatch;
  if (state.pending.length > 0) return 'it has an older schema; run `animal-store migrate` on it first';
  return state.unknown.length > 0
    ? 'a newer version of animal-store has migrated it; copy with that version'
    : undefined;
};

/** Fails if the source is in use, has no store, or has another schema than this version. */
export const checkCopySource = (source: Knex): TaskEither<Unavailable, void> =>
  toTaskEither(async () => {
    const state = await readSchemaState(source).catch((error: unknown) => {
      if (!isSqliteBusy(error)) throw error;
      throw permanentError('it is in use; stop the service and every other program that has it open');
    });
    const refusal = refusalOf(state);
    if (refusal !== undefined) throw permanentError(refusal);
  });

const batchSize = 400;

/** Reads a table in the order of its primary key. Reads all values as text, which keeps every digit of an int64. */
async function* readRows(from: Knex, table: Table): AsyncGenerator<ReadonlyArray<Cells>> {
  const columns = Object.keys(await from(table).columnInfo()).sort();
  const key = tables[table].map((column) => `${table}.${column}`);
  const after = `(${key.map(() => '??').join()}) > (${key.map(() => '?').join()})`;
  let last: Cells | undefined;
  do {
    const rows: ReadonlyArray<Cells> = await from(table)
      .select(columns.map((column) => from.raw('cast(?? as text) as ??', [`${table}.${column}`, column])))
      .where((query) => {
        if (last === undefined) return;
        const values = tables[table].map((column) => last?.[column] ?? null);
        void query.whereRaw(after, [...key, ...values]);
      })
      .orderBy(key)
      .limit(batchSize);
    yield rows;
    last = rows.length < batchSize ? undefined : rows.at(-1);
  } while (last !== undefined);
}

/** Number of rows and sum of their hashes. Databases sort texts differently, and a sum does not depend on the order. */
interface Digest {
  readonly count: number;
  readonly sum: bigint;
}

const addRows = ({ count, sum }: Digest, rows: ReadonlyArray<Cells>): Digest => ({
  count: count + rows.length,
  sum: rows.reduce(
    (total, row) => BigInt.asUintN(256, total + BigInt(`0x${hash('sha256', JSON.stringify(row))}`)),
    sum,
  ),
});

const digestOf = async (
  knex: Knex,
  table: Table,
  onRows: (rows: ReadonlyArray<Cells>) => Promise<void> | void,
): Promise<Digest> => {
  let digest: Digest = { count: 0, sum: 0n };
  for await (const rows of readRows(knex, table)) {
    if (rows.length > 0) await onRows(rows);
    digest = addRows(digest, rows);
  }
  return digest;
};

const isPostgres = (connected: Knex): boolean => driverOf(connected) === 'pg';

/** Runs work on one consistent state of the source. */
const withSnapshot = <A>(source: Knex, work: (from: Knex) => Promise<A>): Promise<A> =>
  inTransaction(source, async (from) => {
    if (isPostgres(from)) await from.raw('set transaction isolation level repeatable read, read only');
    return work(from);
  });

const sequence = `pg_get_serial_sequence('pets', 'id')`;

/** Reads the highest id that was ever assigned, also if its animal was deleted since. */
const readLastId = async (from: Knex): Promise<bigint> => {
  const assigned = isPostgres(from)
    ? `pg_sequence_last_value(${sequence}::regclass)`
    : `(select seq from sqlite_sequence where name = 'pets')`;
  const row = await from('pets').first<Readonly<Record<'assigned' | 'used', string | null>>>(
    from.raw(`cast(${assigned} as text) as assigned`),
    from.raw('cast(max(pets.id) as text) as used'),
  );
  const [last, used] = [BigInt(row.assigned ?? 0), BigInt(row.used ?? 0)];
  return last > used ? last : used;
};

const setLastId = async (to: Knex, id: bigint): Promise<void> => {
  if (id < 1n) return;
  if (isPostgres(to)) {
    await to.raw(`select setval(${sequence}, ?::bigint)`, [id.toString()]);
    return;
  }
  await to('sqlite_sequence').where({ name: 'pets' }).delete();
  await to('sqlite_sequence').insert({ name: 'pets', seq: id.toString() });
};

export interface CopyState {
  rows: number;
  /** True if all rows are copied, and the target has not confirmed the commit yet. */
  isCommitting: boolean;
}

export interface CopiedStore {
  readonly animals: number;
  readonly apiKeys: number;
  readonly idempotencyKeys: number;
  readonly lastId: bigint;
}

const refuseFilled = async (to: Knex): Promise<void> => {
  for (const table of tableNames) {
    if ((await to(table).first<unknown>(tables[table][0])) !== undefined)
      throw permanentError('the target has animals or keys already; copy into an empty database');
  }
};

/**
 * Copies animals with their ids, API keys and idempotency keys into an empty database of either engine, which the
 * caller has migrated. One transaction on the target adds all or nothing. Reads the target again and compares both
 * sides before the commit. app/commands/copy.ts calls it.
 */
export const copyStore = async (
  source: Knex,
  target: Database,
  state: CopyState,
  signal: AbortSignal,
): Promise<CopiedStore> => {
  const copyTables = async (from: Knex, to: Knex) => {
    const digests = new Map<Table, Digest>();
    for (const table of tableNames) {
      const digest = await digestOf(from, table, async (rows) => {
        signal.throwIfAborted();
        await to(table).insert(rows);
        state.rows += rows.length;
      });
      digests.set(table, digest);
    }
    return { digests, lastId: await readLastId(from) };
  };

  const run = async (to: Knex): Promise<CopiedStore> => {
    await refuseFilled(to);
    const { digests, lastId } = await withSnapshot(source, (from) => copyTables(from, to));
    for (const [table, copied] of digests) {
      const found = await digestOf(to, table, () => {
        signal.throwIfAborted();
      });
      if (found.count === copied.count && found.sum === copied.sum) continue;
      throw permanentError(
        `the target differs from the source in table ${table}: ${found.count} rows instead of ${copied.count}, or other values; stop every service that uses the target`,
      );
    }
    await setLastId(to, lastId);
    state.isCommitting = true;
    const countOf = (table: Table): number => digests.get(table)?.count ?? 0;
    return {
      animals: countOf('pets'),
      apiKeys: countOf('api_keys'),
      idempotencyKeys: countOf('creation_keys'),
      lastId,
    };
  };

  try {
    return await target.withMigrationLock(run);
  } catch (error) {
    throw withoutStatement(error);
  }
};
