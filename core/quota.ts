/** Limit on the requests of an owner: `requests` in each period of `seconds`. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** State of an owner's rate limit. `isWithin` is false if the last request exceeded the limit. */
export interface Quota extends RateLimit {
  readonly isWithin: boolean;
  readonly remaining: number;
  /** Time until the full quota is available again, rounded up. */
  readonly resetsInSeconds: number;
}
/** Returns the quota after `requests` requests in a window that ends in `leftMs` milliseconds. */
export const quotaAfter = (limit: RateLimit, requests: number, leftMs: number): Quota => ({
  requests: limit.requests,
  seconds: limit.seconds,
  isWithin: requests <= limit.requests,
  remaining: Math.max(limit.requests - requests, 0),
  resetsInSeconds: Math.min(Math.max(Math.ceil(leftMs / 1_000), 1), limit.seconds),
});
