import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import {
  type ConsumeQuota,
  type OwnerId,
  type Quota,
  quotaAfter,
  type RateLimit,
  type Unavailable,
} from '../../../core';
import { createBatcher } from '../batcher';
import { failedBy, isKind, toTaskEither } from '../database/errors';
import { throwIfLate, tryAndRollBack } from '../database/transactions';
import type { PostgresDatabase } from '../database/opened-database';
import { databaseTimeouts } from '../database/timeouts';

/**
 * Makes a rate limit that counts the requests of all instances together, in the table `rate_limits`. Requests that wait
 * while a count is running share the next count. After an owner has exceeded the quota, an instance sends no statement
 * for this owner until the window ends. A count fails with Unavailable if it takes too long, or if too little time is
 * left before its deadline.
 */
export const postgresQuota = (database: PostgresDatabase, limit: RateLimit): ConsumeQuota => {
  const windowMs = limit.seconds * 1_000;
  const blockedUntil = new Map<string, number>();

  const count = createBatcher<OwnerId, never, Quota>({
    maxBatches: 1,
    timeoutMs: databaseTimeouts.quotaMs,
    runBatch: async (owners, deadline) => {
      const requests = new Map<string, number>();
      for (const owner of owners) requests.set(owner, (requests.get(owner) ?? 0) + 1);
      const counts = await addRequests(database, requests, windowMs).catch((error: unknown) => {
        if (!isKind('RowLocked')(error) || requests.size === 1) throw error;
        return addSeparately(database, requests, windowMs, deadline - databaseTimeouts.quotaLockMs);
      });
      for (const [owner, counted] of counts)
        if (E.isRight(counted) && counted.right.points > limit.requests)
          blockedUntil.set(owner, counted.right.endsAt);
      return shareOut(owners, requests, counts, limit);
    },
  });

  return (owner, deadline) => () => {
    const leftMs = (blockedUntil.get(owner) ?? 0) - performance.now();
    if (leftMs > 0) return Promise.resolve(E.right(quotaAfter(limit, limit.requests + 1, leftMs)));
    blockedUntil.delete(owner);
    return count(owner, deadline)();
  };
};

/**
 * Number of an owner's requests in the current window, with those of the batch. `endsAt` is the end of the window by
 * `performance.now()`.
 */
type Count = E.Either<Unavailable, { readonly points: number; readonly endsAt: number }>;

type Counts = ReadonlyMap<string, Count>;

const addRequests = async (
  { write, statements, run }: PostgresDatabase,
  requests: ReadonlyMap<string, number>,
  windowMs: number,
): Promise<Counts> => {
  // Sorts the owners, so that all instances lock their rows in the same order and can't deadlock.
  const owners = [...requests.keys()].sort();
  const added = owners.map((owner) => requests.get(owner) ?? 0);
  const bindings = [windowMs, owners, added, windowMs, windowMs];
  const rows = await write((pool) =>
    run<{ readonly key: string; readonly points: number; readonly leftMs: string }>(
      pool,
      countStatement(statements.nowSql),
      bindings,
    ),
  );
  const now = performance.now();
  return new Map(
    rows.map(({ key, points, leftMs }) => [key, E.right({ points, endsAt: now + Number(leftMs) })]),
  );
};

/** Counts the requests of each owner in a statement of its own, so that a locked row fails only its own owner. */
const addSeparately = async (
  database: PostgresDatabase,
  requests: ReadonlyMap<string, number>,
  windowMs: number,
  deadline: number,
): Promise<Counts> => {
  const counts = new Map<string, Count>();
  for (const [owner, points] of requests) {
    try {
      throwIfLate(deadline);
      const added = await addRequests(database, new Map([[owner, points]]), windowMs);
      for (const [, count] of added) counts.set(owner, count);
    } catch (error) {
      counts.set(owner, failedBy(error));
    }
  }
  return counts;
};

/** Returns the quota after each request of a batch, in order, from the counts after the whole batch. */
const shareOut = (
  owners: ReadonlyArray<OwnerId>,
  requests: ReadonlyMap<string, number>,
  counts: Counts,
  limit: RateLimit,
): ReadonlyArray<E.Either<Unavailable, Quota> | undefined> => {
  const lastCounts = new Map<string, number>();
  return owners.map((owner) => {
    const counted = counts.get(owner);
    if (counted === undefined || E.isLeft(counted)) return counted;
    const { points, endsAt } = counted.right;
    const count = (lastCounts.get(owner) ?? points - (requests.get(owner) ?? 0)) + 1;
    lastCounts.set(owner, count);
    return E.right(quotaAfter(limit, count, endsAt - performance.now()));
  });
};

/**
 * Adds requests to the current windows of owners, or begins new windows. Citus permits no clock in `do update` and
 * `returning`, so the current time is `excluded.expire` minus the length of a window. `least` shortens a window that
 * began when windows were longer, or by a faster clock. The commit does not wait for the disk, because counts need not
 * survive a crash. The query reads `limited` first, so that its `lock_timeout` applies to the insert.
 */
const countStatement = (now: string) => ({
  name: 'count requests',
  sql: `with limited as materialized (
    select set_config('synchronous_commit', 'off', true),
      set_config('lock_timeout', '${databaseTimeouts.quotaLockMs}', true)
  ),
  counted as (
    insert into {rate_limits} as counted (key, points, expire)
      select key, points, ${now} + ?::bigint from unnest(?::text[], ?::int[]) as asked (key, points)
    on conflict (key) do update set
      points = excluded.points + case when counted.expire <= excluded.expire - ?::bigint then 0 else counted.points end,
      expire = case when counted.expire <= excluded.expire - ?::bigint then excluded.expire
        else least(counted.expire, excluded.expire) end
    returning key, points, expire
  )
  select key, points, expire - ${now} as "leftMs" from limited, counted`,
});

/** Counts a request and rolls back. Fails as a count of the rate limit would. */
export const tryCountRequest = ({
  writePool,
  statements,
  run,
}: PostgresDatabase): TE.TaskEither<Unavailable, unknown> =>
  toTaskEither(() =>
    tryAndRollBack(writePool, (transaction) =>
      run(transaction, countStatement(statements.nowSql), [1, ['trial'], [1], 1, 1]),
    ),
  );
