import * as E from 'fp-ts/Either';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import {
  type ConsumeQuota,
  type OwnerId,
  type Quota,
  type RateLimit,
  type Unavailable,
  unavailable,
} from '../../core';

const maxClockSkewMs = 60_000;

interface Count {
  readonly isWithin: boolean;
  readonly window: RateLimiterRes;
}

const consume = async (limiter: RateLimiterAbstract, owner: OwnerId): Promise<Count> => {
  try {
    return { isWithin: true, window: await limiter.consume(owner) };
  } catch (rejection) {
    if (rejection instanceof RateLimiterRes) return { isWithin: false, window: rejection };
    throw rejection;
  }
};

/** Counts one request. Restarts a window that ends too late, because the clock was set back since. */
const countRequest = async (
  limiter: RateLimiterAbstract,
  owner: OwnerId,
  windowMs: number,
): Promise<Count> => {
  const count = await consume(limiter, owner);
  if (count.window.msBeforeNext <= windowMs + maxClockSkewMs) return count;
  await limiter.delete(owner);
  return consume(limiter, owner);
};

const toQuota = (limit: RateLimit, { isWithin, window }: Count): Quota => ({
  ...limit,
  isWithin,
  remaining: Math.max(window.remainingPoints, 0),
  resetsIn: Math.min(Math.ceil(window.msBeforeNext / 1000), limit.seconds),
});

/** Counts a request without a time limit. */
export const consumeWith =
  (limiter: RateLimiterAbstract, limit: RateLimit) =>
  async (owner: OwnerId): Promise<E.Either<Unavailable, Quota>> => {
    try {
      return E.right(toQuota(limit, await countRequest(limiter, owner, limit.seconds * 1000)));
    } catch (error) {
      return E.left(unavailable(error));
    }
  };

/** Counts requests in memory, separately for each instance of the service. */
export const inMemoryQuota = (limit: RateLimit): ConsumeQuota => {
  const count = consumeWith(
    new RateLimiterMemory({ points: limit.requests, duration: limit.seconds }),
    limit,
  );
  return (owner) => () => count(owner);
};
