import type { Quota } from '../../../core';
import type { Headers } from '../protocol/headers';

/** `RateLimit` and `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers-10. */
export const quotaHeaders = ({ requests, seconds, remaining, resetsIn }: Quota): Headers => ({
  RateLimit: `"default";r=${remaining};t=${resetsIn}`,
  'RateLimit-Policy': `"default";q=${requests};w=${seconds}`,
});
