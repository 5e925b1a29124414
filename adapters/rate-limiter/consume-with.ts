import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { type OwnerId, type Quota, type RateLimit, type Unavailable, unavailable } from '../../core';

/** How far the clocks of instances may be apart, in milliseconds. */
const maxClockSkew = 60_000;

interface Count {
  readonly isWithin: boolean;
  readonly window: RateLimiterRes;
}

/** The limiters reject with a count what is over the limit. */
const consume = async (limiter: RateLimiterAbstract, owner: OwnerId): Promise<Count> => {
  try {
    return { isWithin: true, window: await limiter.consume(owner) };
  } catch (rejection) {
    if (rejection instanceof RateLimiterRes) return { isWithin: false, window: rejection };
    throw rejection;
  }
};

/** Counts one request. A window that lasts too long was begun before the clock went back: it begins anew. */
const countRequest = async (
  limiter: RateLimiterAbstract,
  owner: OwnerId,
  windowMs: number,
): Promise<Count> => {
  const count = await consume(limiter, owner);
  if (count.window.msBeforeNext <= windowMs + maxClockSkew) return count;
  await limiter.delete(owner);
  return consume(limiter, owner);
};

const toQuota = (limit: RateLimit, { isWithin, window }: Count): Quota => ({
  ...limit,
  isWithin,
  remaining: Math.max(window.remainingPoints, 0),
  resetsIn: Math.min(Math.ceil(window.msBeforeNext / 1000), limit.seconds),
});

/** The quota port on one of rate-limiter-flexible's limiters, whenever it answers. */
export const consumeWith =
  (limiter: RateLimiterAbstract, limit: RateLimit) =>
  (owner: OwnerId): TE.TaskEither<Unavailable, Quota> =>
  async () => {
    try {
      return E.right(toQuota(limit, await countRequest(limiter, owner, limit.seconds * 1000)));
    } catch (error) {
      return E.left(unavailable(error));
    }
  };
