import type { Database } from './database';

/** How busy a pool of connections is at this moment. */
export interface PoolUsage {
  readonly pool: string;
  readonly used: number;
  readonly idle: number;
  /** Queries that wait for a connection. */
  readonly waiting: number;
}

interface Pool {
  readonly numUsed: () => number;
  readonly numFree: () => number;
  readonly numPendingAcquires: () => number;
}

const usageOf = (pool: string, { client }: { readonly client: { readonly pool?: Pool } }): PoolUsage => ({
  pool,
  used: client.pool?.numUsed() ?? 0,
  idle: client.pool?.numFree() ?? 0,
  waiting: client.pool?.numPendingAcquires() ?? 0,
});

/** The database's pools; one that reads and writes share is one. */
export const poolUsage = ({ reads, writes }: Database): ReadonlyArray<PoolUsage> =>
  reads === writes ? [usageOf('shared', reads)] : [usageOf('reads', reads), usageOf('writes', writes)];
