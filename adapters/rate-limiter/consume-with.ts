import * as E from 'fp-ts/Either';
import { RateLimiterRes } from 'rate-limiter-flexible';
import {
  type ConsumeQuota,
  type Deadline,
  type KeyId,
  type Quota,
  type RateLimit,
  unavailable,
} from '../../core';

const toQuota = (limit: RateLimit, isWithin: boolean, count: RateLimiterRes): Quota => ({
  ...limit,
  isWithin,
  remaining: Math.max(count.remainingPoints, 0),
  resetsIn: Math.ceil(count.msBeforeNext / 1000),
});

/** The quota port on what rate-limiter-flexible's limiters do: they reject with a count what is over the limit. */
export const consumeWith =
  (consume: (keyId: KeyId, deadline?: Deadline) => Promise<RateLimiterRes>, limit: RateLimit): ConsumeQuota =>
  (keyId, deadline) =>
  async () => {
    try {
      return E.right(toQuota(limit, true, await consume(keyId, deadline)));
    } catch (rejection) {
      return rejection instanceof RateLimiterRes
        ? E.right(toQuota(limit, false, rejection))
        : E.left(unavailable(rejection));
    }
  };
