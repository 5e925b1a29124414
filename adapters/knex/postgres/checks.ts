/* Checks of rights, ids and disk space, for readiness and `doctor`. */

import type { Knex } from 'knex';
import { DatabaseError, isKind, isRejection, rowSecurityError } from '../database/errors';
import { inTransaction } from '../database/transactions';
import type { PostgresDatabase, RunStatement } from '../database/opened-database';
import { tables } from '../database/tables';
import { databaseTimeouts } from '../database/timeouts';

/** Rights that `serve` needs, by table or sequence. */
export const requiredRights: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...Object.fromEntries(
    tables.filter(({ rights }) => rights.length > 0).map(({ name, rights }) => [name, rights]),
  ),
  pets_id_seq: ['usage'],
};

// Selects the missing rights. A null right means that row-level security would hide rows of the table.
const missingRightsSql = `select name, "right" from unnest(?::text[], ?::text[]) as needed (name, "right"),
    lateral (select to_regclass(quote_ident({current_schema}) || '.' || quote_ident(name)) as id) as found
  where id is not null and not case "right"
    when 'usage' then has_sequence_privilege(id, 'usage')
    when 'delete' then has_table_privilege(id, 'delete')
    else has_any_column_privilege(id, "right") end
  union all select distinct name, null from unnest(?::text[]) as table_name (name),
    lateral (select to_regclass(quote_ident({current_schema}) || '.' || quote_ident(name)) as id) as found
  where id is not null and row_security_active(id)`;

/** Rejects if the role lacks a right, or if row-level security would hide rows from it. */
export const checkRights = async (pool: Knex, run: RunStatement): Promise<void> => {
  const needed = Object.entries(requiredRights).flatMap(([name, each]) =>
    each.map((right) => [name, right] as const),
  );
  const rows = await run<{ readonly name: string; readonly right: string | null }>(
    pool,
    { sql: missingRightsSql },
    [needed.map(([name]) => name), needed.map(([, right]) => right), Object.keys(requiredRights)],
  );
  const hiding = rows.filter(({ right }) => right === null).map(({ name }) => name);
  if (hiding.length > 0) throw rowSecurityError(hiding);
  const rights = rows.map(({ name, right }) => `${right ?? ''} on ${name}`);
  if (rights.length > 0) throw new DatabaseError('42501', `permission denied: ${rights.join(', ')}`);
};

/**
 * Advice for a sequence that would give an id again. The statement considers the ids in `idempotency_keys` too.
 * Otherwise a new animal could get the id of a deleted one, and a retry would replay the wrong animal.
 */
export const setSequenceAdvice =
  "run as the owner of the tables: select setval('pets_id_seq', (select max(id) from (select id from pets union all select pet_id from idempotency_keys) as used))";

interface IdState {
  readonly last: string;
  readonly greatest: string;
  readonly taken: string | null;
}

const idsSql = `select last, (select seqmax from pg_sequence where seqrelid = '{pets_id_seq}'::regclass) as greatest,
    (select min(pets.id) from {pets} where pets.id > last) as taken
  from (select case when is_called then last_value else last_value - 1 end as last from {pets_id_seq}) as ids`;

/**
 * Returns what is wrong and the statement that repairs it, if no id is left or if one of the next `count` ids is taken.
 * Returns undefined if nothing is wrong, or if the database rejects the check, as for a role that may not read the
 * sequence.
 */
export const inspectSequence = async (
  pool: Knex,
  run: RunStatement,
  count: number,
): Promise<string | undefined> => {
  try {
    const [ids] = await run<IdState>(pool, { sql: idsSql }, []);
    if (ids === undefined) return undefined;
    const { last, greatest, taken } = ids;
    if (BigInt(last) >= BigInt(greatest))
      return `no id is left in the sequence pets_id_seq; raise its maximum, or remove the animal and the idempotency key that have it, and ${setSequenceAdvice}`;
    return taken !== null && BigInt(taken) - BigInt(last) <= count
      ? `the sequence pets_id_seq is behind the ids in table pets; ${setSequenceAdvice}`
      : undefined;
  } catch (error) {
    if (isRejection(error)) return undefined;
    throw error;
  }
};

// Writes a temporary file of 0.7 MB next to the tables. The readiness check's update of one row does not show a full
// disk, because it succeeds while the page of the row has space.
const fillTemporaryFile = `set local work_mem = '64kB'; set local temp_tablespaces = '';
  select count(*) from generate_series(1, 50000)`;

export const makeCheckSpace = (pool: Knex): PostgresDatabase['checkSpace'] => {
  let lacksSpace = false;
  let triedAt = -Infinity;
  pool.on('query-error', (error: unknown) => {
    if (isKind('DiskFull')(error)) lacksSpace = true;
  });
  return async () => {
    const now = performance.now();
    if (!lacksSpace && now - triedAt < databaseTimeouts.spaceCheckMs) return;
    triedAt = now;
    try {
      await inTransaction(pool, (transaction) => transaction.raw(fillTemporaryFile));
      lacksSpace = false;
    } catch (error) {
      if (isKind('DiskFull')(error)) throw error;
    }
  };
};
