import type { Knex } from 'knex';
import { greatestInt64 } from '../../../core';
import { sqliteStatements } from './statements';

/**
 * Returns how to free an id if none is left, and undefined otherwise. Without a free id, creates fail with SQLITE_FULL,
 * as on a full disk. The sequence can't be behind the ids, because SQLite takes the greatest id of the table into account.
 */
export const inspectLastId = async (reads: Knex): Promise<string | undefined> =>
  (await sqliteStatements.readLastId(reads)) === greatestInt64
    ? `no id is left after the last one, ${greatestInt64}; remove the animal and the idempotency key that have it, and run: update sqlite_sequence set seq = (select max(id) from (select id from pets union all select pet_id from idempotency_keys)) where name = 'pets'`
    : undefined;
