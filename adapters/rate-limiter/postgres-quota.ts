import * as E from 'fp-ts/Either';
import type { Knex } from 'knex';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { type ConsumeQuota, type RateLimit, type Unavailable, unavailable } from '../../core';
import { consumeWith } from './consume-with';
import { knexClient } from './knex-client';

/** How long a request waits to be counted, in milliseconds. */
const timeoutMs = 2_500;

const notCounted = () => E.left(unavailable(new Error('the request was not counted in time')));

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
  const consume = consumeWith(limiter, limit);
  return (owner, deadline = Infinity) =>
    async () => {
      const timeLeft = Math.min(timeoutMs, deadline - performance.now());
      if (timeLeft <= 0) return notCounted();
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<E.Either<Unavailable, never>>((resolve) => {
        timer = setTimeout(() => {
          resolve(notCounted());
        }, timeLeft);
      });
      try {
        return await Promise.race([consume(owner)(), tooLate]);
      } finally {
        clearTimeout(timer);
      }
    };
};
