import type { Knex } from 'knex';

export interface PoolUsage {
  readonly pool: string;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Connection pool of Knex, from the package `tarn`. */
interface Pool {
  readonly numUsed: () => number;
  readonly numFree: () => number;
  readonly numPendingAcquires: () => number;
}

export const poolUsageOf =
  (name: string, { client }: { readonly client: { readonly pool: Pool } }) =>
  (): PoolUsage => ({
    pool: name,
    used: client.pool.numUsed(),
    idle: client.pool.numFree(),
    waiting: client.pool.numPendingAcquires(),
  });

const ignore = (): void => undefined;

export const silentLog: Knex.Logger = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore };

export const withPool = async <A>(pool: Knex, use: (pool: Knex) => Promise<A>): Promise<A> => {
  try {
    return await use(pool);
  } finally {
    await pool.destroy();
  }
};
