import type { Knex } from 'knex';
import { type ConsumeQuota, type OwnerId, type Quota, quotaAfter, type RateLimit } from '../../core';
import { toTaskEither, withTimeout } from './database/work';

const countTimeoutMs = 2_500;

/** SQL for the database server's time in milliseconds since 1970, because the clocks of instances differ. */
const now = 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)';

/**
 * Counts a request in the owner's current window, or begins a new window. Citus permits no clock in `do update` and
 * `returning`. So `do update` takes `excluded.expire`, the end of a window that begins now, and subtracts the length of
 * a window to get the current time. The time left is computed only in the last `select`.
 */
const countRequest = `with counted as (
    insert into rate_limits as counted (key, points, expire) values (?, 1, ${now} + ?::bigint)
    on conflict (key) do update set
      points = case when counted.expire <= excluded.expire - ?::bigint then 1 else counted.points + 1 end,
      expire = case when counted.expire <= excluded.expire - ?::bigint then excluded.expire else counted.expire end
    returning points, expire
  )
  select points, expire - ${now} as "leftMs" from counted`;

interface Row {
  readonly points: number;
  readonly leftMs: string;
}

/**
 * Makes a rate limit that counts the requests of all instances together, in the table `rate_limits`. After an owner has
 * exceeded the quota, an instance sends no statement for this owner until the window ends. A count fails with
 * Unavailable at its deadline, or after 2.5 s.
 */
export const postgresQuota = (writes: Knex, limit: RateLimit): ConsumeQuota => {
  const windowMs = limit.seconds * 1_000;
  const blockedUntil = new Map<OwnerId, number>();

  const count = async (owner: OwnerId): Promise<Quota> => {
    const leftMs = (blockedUntil.get(owner) ?? 0) - performance.now();
    if (leftMs > 0) return quotaAfter(limit, limit.requests + 1, leftMs);
    blockedUntil.delete(owner);
    const { rows } = await writes.raw<{ readonly rows: readonly [Row] }>(countRequest, [
      owner,
      ...[windowMs, windowMs, windowMs],
    ]);
    const [counted] = rows;
    const quota = quotaAfter(limit, counted.points, Number(counted.leftMs));
    if (!quota.isWithin) blockedUntil.set(owner, performance.now() + Number(counted.leftMs));
    return quota;
  };

  return (owner, deadline = Infinity) =>
    toTaskEither(() => {
      const timeoutMs = Math.min(deadline - performance.now(), countTimeoutMs);
      if (timeoutMs <= 0) throw new Error('the request can no longer be counted in time');
      return withTimeout(() => count(owner), timeoutMs);
    });
};
