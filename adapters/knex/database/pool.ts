import type { Knex } from 'knex';

const ignore = (): void => undefined;

export const silentLog: Knex.Logger = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore };

export const withPool = async <A>(pool: Knex, use: (pool: Knex) => Promise<A>): Promise<A> => {
  try {
    return await use(pool);
  } finally {
    await pool.destroy();
  }
};

export interface PoolUsage {
  readonly pool: string;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

const counts = ['numUsed', 'numFree', 'numPendingAcquires'] as const;

type Pool = Readonly<Record<(typeof counts)[number], () => number>>;

const isPool = (value: unknown): value is Pool =>
  typeof value === 'object' &&
  value !== null &&
  counts.every((count) => typeof Reflect.get(value, count) === 'function');

export const poolUsageOf = (
  name: string,
  { client: { pool } }: { readonly client: { readonly pool?: unknown } },
): (() => PoolUsage) => {
  if (!isPool(pool)) throw new TypeError('this release of knex has no usable client.pool');
  return () => ({
    pool: name,
    used: pool.numUsed(),
    idle: pool.numFree(),
    waiting: pool.numPendingAcquires(),
  });
};

/** True if an internal object of knex has all these functions, which its types do not show. */
export const hasFunctions = (value: unknown, ...names: ReadonlyArray<string>): boolean =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => typeof Reflect.get(value, name) === 'function');
