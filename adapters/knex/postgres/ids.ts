import type { Knex } from 'knex';
import { reactionTo } from '../database/errors';
import type { RunStatement } from '../database/opened-database';

/**
 * Advice for a sequence that is behind the ids. Includes the ids of idempotency keys, because a retry would replay
 * another animal if a new animal got the id of a deleted one.
 */
export const setSequenceAdvice =
  "run as the owner of the tables: select setval('pets_id_seq', (select max(id) from (select id from pets union all select pet_id from idempotency_keys) as used))";

interface IdState {
  readonly last: string;
  readonly greatest: string;
  readonly taken: string | null;
}

/** Reads the last id and the maximum of the sequence, and the lowest id of an animal that is above the last id. */
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
    if (reactionTo(error) !== 'none') return undefined;
    throw error;
  }
};
