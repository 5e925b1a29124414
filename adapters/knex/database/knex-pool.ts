/** How busy a pool of connections is at this moment. */
export interface PoolUsage {
  readonly pool: string;
  readonly used: number;
  readonly idle: number;
  /** Queries that wait for a connection. */
  readonly waiting: number;
}

const counts = ['numUsed', 'numFree', 'numPendingAcquires'] as const;

type Pool = Readonly<Record<(typeof counts)[number], () => number>>;

const isPool = (value: unknown): value is Pool =>
  typeof value === 'object' &&
  value !== null &&
  counts.every((count) => typeof Reflect.get(value, count) === 'function');

/** Knex says nowhere that it keeps its pool in `client.pool`: where it doesn't, nothing is opened, and a test fails. */
export const poolUsageOf = (
  name: string,
  { client: { pool } }: { readonly client: { readonly pool?: unknown } },
): (() => PoolUsage) => {
  if (!isPool(pool)) throw new TypeError('this release of knex keeps its pool elsewhere');
  return () => ({
    pool: name,
    used: pool.numUsed(),
    idle: pool.numFree(),
    waiting: pool.numPendingAcquires(),
  });
};
