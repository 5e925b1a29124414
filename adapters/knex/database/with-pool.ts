import type { Knex } from 'knex';

/** Lends a pool that is closed afterwards. */
export const withPool = async <A>(pool: Knex, use: (pool: Knex) => Promise<A>): Promise<A> => {
  try {
    return await use(pool);
  } finally {
    await pool.destroy();
  }
};
