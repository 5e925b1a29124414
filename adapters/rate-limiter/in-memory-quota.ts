import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { ConsumeQuota, RateLimit } from '../../core';
import { consumeWith } from './consume-with';

/** Counts requests in this process's memory: each instance of a service counts for itself. */
export const inMemoryQuota = (limit: RateLimit): ConsumeQuota => {
  const limiter = new RateLimiterMemory({ points: limit.requests, duration: limit.seconds });
  return consumeWith((keyId) => limiter.consume(keyId), limit);
};
