import type { Knex } from 'knex';

/** The id that a file has in its head (SQLite, PRAGMA application_id). */
export const readApplicationId = async (knex: Knex): Promise<number> => {
  const { application_id: id } = await knex('pragma_application_id').first<{ application_id: number }>();
  return id;
};

/**
 * Works in a transaction that nobody writes beside. It begins with a write, of the application_id, by default the one
 * that is there: then it waits for its turn, where one that begins with a read is refused later.
 */
export const withWriteLock = async <A>(
  writes: Knex,
  work: (transaction: Knex.Transaction) => Promise<A>,
  applicationId?: number,
): Promise<A> => {
  const id = applicationId ?? (await readApplicationId(writes));
  return writes.transaction(async (transaction) => {
    await transaction.raw(`PRAGMA application_id = ${id}`);
    return work(transaction);
  });
};
