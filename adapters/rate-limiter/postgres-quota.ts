import type { Knex } from 'knex';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { ConsumeQuota, RateLimit } from '../../core';
import { consumeWith } from './consume-with';
import { knexClient } from './knex-client';
import { withTimeout } from './with-timeout';

/** How long a request waits to be counted, in milliseconds. */
const timeoutMs = 2_500;

/**
 * Counts requests in a PostgreSQL database (its table is made by the migrations), for all instances together. Through a
 * pooler its connections may be unable to prepare statements.
 */
export const postgresQuota = (
  knex: Knex,
  limit: RateLimit,
  preparesStatements: () => Promise<boolean> = () => Promise.resolve(true),
): ConsumeQuota => {
  const limiter = new RateLimiterPostgres({
    storeClient: knexClient(knex, preparesStatements),
    storeType: 'client',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: true,
    points: limit.requests,
    duration: limit.seconds,
    inMemoryBlockOnConsumed: limit.requests + 1,
  });
  return consumeWith(limiter, limit, (count, deadline = Infinity) =>
    withTimeout(Math.min(timeoutMs, deadline - performance.now()), count),
  );
};
