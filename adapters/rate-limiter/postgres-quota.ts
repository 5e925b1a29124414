import * as E from 'fp-ts/Either';
import type { Knex } from 'knex';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { type ConsumeQuota, type RateLimit, type Unavailable, unavailable } from '../../core';
import { consumeWith } from './in-memory-quota';

const timeoutMs = 2_500;

interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values?: ReadonlyArray<Knex.Value>;
}

/** Adapts a Knex pool to the client interface that rate-limiter-flexible expects. */
const clientOf = (pool: Knex, preparesStatements: () => Promise<boolean>) => ({
  query: async ({ name, text, values = [] }: Query): Promise<unknown> => {
    const bindings: Array<Knex.Value> = [];
    const sql = text.replace(/\$(\d+)/g, (_, place: string) => {
      bindings.push(values[Number(place) - 1] ?? null);
      return '?';
    });
    const query = pool.raw<unknown>(sql, bindings);
    return name !== undefined && (await preparesStatements()) ? query.options({ name }) : query;
  },
});

const notCounted = () => E.left(unavailable(new Error('timed out counting the request')));

/**
 * Counts requests in a PostgreSQL database, together for all instances, in the table that the migrations create. Behind a
 * pooler, `preparesStatements` may have to return false.
 */
export const postgresQuota = (
  knex: Knex,
  limit: RateLimit,
  preparesStatements: () => Promise<boolean> = () => Promise.resolve(true),
): ConsumeQuota => {
  const limiter = new RateLimiterPostgres({
    storeClient: clientOf(knex, preparesStatements),
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
      const timeLeftMs = Math.min(timeoutMs, deadline - performance.now());
      if (timeLeftMs <= 0) return notCounted();
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<E.Either<Unavailable, never>>((resolve) => {
        timer = setTimeout(() => {
          resolve(notCounted());
        }, timeLeftMs);
      });
      try {
        return await Promise.race([count(owner), tooLate]);
      } finally {
        clearTimeout(timer);
      }
    };
};
