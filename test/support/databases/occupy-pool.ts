import type { Knex } from 'knex';

/** Takes every connection of a pool, so that who asks it for one waits; answers with how to give them back. */
export const occupyPool = async (pool: Knex, connections: number): Promise<() => Promise<void>> => {
  const transactions = await Promise.all(Array.from({ length: connections }, () => pool.transaction()));
  return async () => {
    await Promise.all(transactions.map((transaction) => transaction.rollback()));
  };
};
