import * as E from 'fp-ts/Either';
import { type ConsumeQuota, type OwnerId, quotaAfter, type RateLimit } from '../../core';

interface Window {
  readonly endsAt: number;
  requests: number;
}

/** Makes an in-memory rate limit. The first request of an owner starts a window, which ends after `limit.seconds`. */
export const inMemoryQuota = (limit: RateLimit): ConsumeQuota => {
  const windows = new Map<OwnerId, Window>();

  /** Deletes the windows that have ended. Windows end in the order of the Map, because all have the same length. */
  const deleteEnded = (now: number): void => {
    for (const [owner, { endsAt }] of windows) {
      if (now < endsAt) return;
      windows.delete(owner);
    }
  };

  return (owner) => () => {
    const now = performance.now();
    deleteEnded(now);
    const window = windows.get(owner) ?? { endsAt: now + limit.seconds * 1_000, requests: 0 };
    windows.set(owner, window);
    window.requests += 1;
    return Promise.resolve(E.right(quotaAfter(limit, window.requests, window.endsAt - now)));
  };
};
