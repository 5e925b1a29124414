import * as E from 'fp-ts/Either';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { type ConsumeQuota, type Quota, type RateLimit, unavailable } from '../../core';

const toQuota = (limit: RateLimit, isWithin: boolean, count: RateLimiterRes): Quota => ({
  ...limit,
  isWithin,
  remaining: Math.max(count.remainingPoints, 0),
  resetsIn: Math.ceil(count.msBeforeNext / 1000),
});

/** The quota port on one of rate-limiter-flexible's limiters, which reject with a count what is over the limit. */
export const consumeWith =
  (limiter: RateLimiterAbstract, limit: RateLimit): ConsumeQuota =>
  (keyId) =>
  async () => {
    try {
      return E.right(toQuota(limit, true, await limiter.consume(keyId)));
    } catch (rejection) {
      return rejection instanceof RateLimiterRes
        ? E.right(toQuota(limit, false, rejection))
        : E.left(unavailable(rejection));
    }
  };
