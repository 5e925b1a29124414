import * as E from 'fp-ts/Either';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { type ConsumeQuota, type OwnerId, type Quota, type RateLimit, unavailable } from '../../core';

/** How far the clocks of instances may be apart, in milliseconds. */
const maxClockSkew = 60_000;

interface Count {
  readonly isWithin: boolean;
  readonly remaining: number;
  readonly msBeforeNext: number;
}

const toCount = (isWithin: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): Count => ({
  isWithin,
  remaining: Math.max(remainingPoints, 0),
  msBeforeNext,
});

/** The limiters reject with a count what is over the limit. */
const consume = async (limiter: RateLimiterAbstract, owner: OwnerId): Promise<Count> => {
  try {
    return toCount(true, await limiter.consume(owner));
  } catch (rejection) {
    if (rejection instanceof RateLimiterRes) return toCount(false, rejection);
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
  if (count.msBeforeNext <= windowMs + maxClockSkew) return count;
  await limiter.delete(owner);
  return consume(limiter, owner);
};

const toQuota = (limit: RateLimit, { isWithin, remaining, msBeforeNext }: Count): Quota => ({
  ...limit,
  isWithin,
  remaining,
  resetsIn: Math.min(Math.ceil(msBeforeNext / 1000), limit.seconds),
});

/** Runs the counting of a request, within the deadline where it may take time. */
type InTime = (count: () => Promise<Quota>, deadline: number | undefined) => Promise<Quota>;

/** The quota port on one of rate-limiter-flexible's limiters. */
export const consumeWith =
  (limiter: RateLimiterAbstract, limit: RateLimit, inTime: InTime = (count) => count()): ConsumeQuota =>
  (owner, deadline) =>
  async () => {
    try {
      const count = async (): Promise<Quota> =>
        toQuota(limit, await countRequest(limiter, owner, limit.seconds * 1000));
      return E.right(await inTime(count, deadline));
    } catch (error) {
      return E.left(unavailable(error));
    }
  };
