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
import { isKind } from '../database/errors';
import type { PostgresDatabase } from '../database/own-database';
import { databaseTimeouts } from '../database/timeouts';
import { throwIfLate, toTaskEither, tryAndRollBack } from '../database/work';

type Count = E.Either<Unavailable, Quota> | undefined;

/**
 * Makes a rate limit that counts the requests of all instances together, in the table `rate_limits`. Requests that wait
 * while a count is running share the next one. After an owner has exceeded the quota, an instance sends no statement
 * for this owner until the window ends. A count fails with Unavailable after `quotaMs`, or if it can't begin early
 * enough before its deadline.
 */
export const postgresQuota = (database: PostgresDatabase, limit: RateLimit): ConsumeQuota => {
  const blockedUntil = new Map<string, number>();

  const countInOneStatement = async (owners: ReadonlyArray<OwnerId>): Promise<ReadonlyArray<Count>> => {
    const requests = new Map<string, number>();
    for (const owner of owners) requests.set(owner, (requests.get(owner) ?? 0) + 1);
    const rows = await addRequests(database, requests, limit.seconds * 1_000);
    for (const { key, points, leftMs } of rows)
      if (points > limit.requests) blockedUntil.set(key, performance.now() + Number(leftMs));
    return shareOut(owners, requests, rows, limit);
  };

  /** Counts each owner by a statement of its own, one after the other, so that only the owners of locked rows fail. */
  const countEachOwner = async (
    owners: ReadonlyArray<OwnerId>,
    deadline: number,
  ): Promise<ReadonlyArray<Count>> => {
    const counts = new Map<OwnerId, Array<Count>>();
    for (const owner of new Set(owners)) {
      const own = owners.filter((each) => each === owner);
      const counted = await toTaskEither(() => {
        throwIfLate(deadline);
        return countInOneStatement(own);
      })();
      counts.set(owner, E.isLeft(counted) ? own.map(() => counted) : [...counted.right]);
    }
    return owners.map((owner) => counts.get(owner)?.shift());
  };

  const count = createBatcher<OwnerId, never, Quota>({
    maxBatches: 1,
    timeoutMs: databaseTimeouts.quotaMs,
    runBatch: async (owners, deadline) => {
      try {
        return await countInOneStatement(owners);
      } catch (error) {
        if (!isKind('RowLocked')(error) || new Set(owners).size === 1) throw error;
        return countEachOwner(owners, deadline - databaseTimeouts.quotaLockMs);
      }
    },
  });

  return (owner, deadline) => () => {
    const leftMs = (blockedUntil.get(owner) ?? 0) - performance.now();
    if (leftMs > 0) return Promise.resolve(E.right(quotaAfter(limit, limit.requests + 1, leftMs)));
    blockedUntil.delete(owner);
    return count(owner, deadline)();
  };
};

/** Requests of an owner in the current window, after those of a statement were added. */
interface CountRow {
  readonly key: string;
  readonly points: number;
  readonly leftMs: string;
}

/** Adds the numbers of requests, by owner, in one statement. */
const addRequests = (
  { write, statements, run }: PostgresDatabase,
  requests: ReadonlyMap<string, number>,
  windowMs: number,
): Promise<ReadonlyArray<CountRow>> => {
  // All instances lock the rows in the same order, so that they can't deadlock.
  const owners = [...requests.keys()].sort();
  const points = owners.map((owner) => requests.get(owner) ?? 0);
  const bindings = [windowMs, owners, points, windowMs, windowMs];
  return write((pool) => run<CountRow>(pool, countStatement(statements.nowSql), bindings));
};

/**
 * Shares the counts of a statement out to its requests, one by one in their order. A request gets undefined if the
 * statement has returned no row for its owner.
 */
const shareOut = (
  owners: ReadonlyArray<OwnerId>,
  requests: ReadonlyMap<string, number>,
  rows: ReadonlyArray<CountRow>,
  limit: RateLimit,
): ReadonlyArray<Count> => {
  const counts = new Map(
    rows.map(({ key, points, leftMs }) => [
      key,
      { used: points - (requests.get(key) ?? 0), leftMs: Number(leftMs) },
    ]),
  );
  return owners.map((owner) => {
    const count = counts.get(owner);
    if (count === undefined) return undefined;
    count.used += 1;
    return E.right(quotaAfter(limit, count.used, count.leftMs));
  });
};

/**
 * Adds requests to the current windows of owners, or begins new windows. Citus permits no clock in `do update` and
 * `returning`, so the current time is `excluded.expire` minus the length of a window. `least` ends a window that began
 * with a longer limit, or by a faster clock. The commit does not wait for the disk, because counts may be lost in a
 * crash. `limited` is read first, so that its `lock_timeout` applies.
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
