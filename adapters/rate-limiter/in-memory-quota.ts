import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { ConsumeQuota, RateLimit } from '../../core';
import { consumeWith } from './consume-with';

/** Counts requests in this process's memory: each instance of a service counts for itself. */
export const inMemoryQuota = (limit: RateLimit): ConsumeQuota =>
  consumeWith(new RateLimiterMemory({ points: limit.requests, duration: limit.seconds }), limit);
