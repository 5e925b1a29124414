import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ConsumeQuota,
  type OwnerId,
  type Quota,
  type RateLimit,
  type Unavailable,
  unavailable,
} from '../../core';

const countTimeoutMs = 2_500;

const lateAnswer = E.left(unavailable(new Error('the database did not count the request in time')));

const consume = async (limiter: RateLimiterAbstract, owner: OwnerId) => {
  try {
    return { isWithin: true, window: await limiter.consume(owner) };
  } catch (rejection) {
    if (rejection instanceof RateLimiterRes) return { isWithin: false, window: rejection };
    throw rejection;
  }
};

const consumeWith =
  (limiter: RateLimiterAbstract, limit: RateLimit) =>
  (owner: OwnerId): TaskEither<Unavailable, Quota> =>
  async () => {
    try {
      const { isWithin, window } = await consume(limiter, owner);
      return E.right({
        ...limit,
        isWithin,
        remaining: Math.max(window.remainingPoints, 0),
        resetsInSeconds: Math.min(Math.ceil(window.msBeforeNext / 1000), limit.seconds),
      });
    } catch (error) {
      return E.left(unavailable(error));
    }
  };

/**
 * Makes a rate limit that counts requests in memory, separately for each instance of the service.
 * app/backend/backend.ts calls it, or `postgresQuota` if the database is PostgreSQL.
 */
export const inMemoryQuota = (limit: RateLimit): ConsumeQuota =>
  consumeWith(new RateLimiterMemory({ points: limit.requests, duration: limit.seconds }), limit);

interface Query {
  readonly text: string;
  readonly values: ReadonlyArray<Knex.Value>;
}

/** Makes a client for rate-limiter-flexible. Does not prepare statements, because old connection poolers do not support it. */
const clientOf = (pool: Knex) => ({
  query: async ({ text, values }: Query): Promise<unknown> => {
    const bindings = Object.fromEntries(values.map((value, place) => [`v${place + 1}`, value]));
    return pool.raw<unknown>(text.replace(/\$(\d)/g, ':v$1'), bindings);
  },
});

/**
 * Makes a rate limit that counts the requests of all instances together, in the table `rate_limits` that the migrations
 * create.
 */
export const postgresQuota = (knex: Knex, limit: RateLimit): ConsumeQuota => {
  const limiter = new RateLimiterPostgres({
    storeClient: clientOf(knex),
    storeType: 'client',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: true,
    points: limit.requests,
    duration: limit.seconds,
    inMemoryBlockOnConsumed: limit.requests + 1,
  });
  const count = consumeWith(limiter, limit);
  return (owner, deadline = Infinity) =>
    async () => {
      const remainingMs = Math.min(deadline - performance.now(), countTimeoutMs);
      if (remainingMs <= 0) return lateAnswer;
      const timeout = new AbortController();
      const late = delay(remainingMs, lateAnswer, { signal: timeout.signal }).catch(() => lateAnswer);
      return Promise.race([count(owner)(), late]).finally(() => {
        timeout.abort();
      });
    };
};
