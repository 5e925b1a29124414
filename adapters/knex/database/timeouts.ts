/* Times of this adapter. `test/time-limits.test.ts` checks that inner limits are shorter than outer ones. */

const statementMs = 3_000;

/**
 * Difference between an outer timeout, such as the pool's, and an inner one, such as the connection's. The inner one
 * ends first, with a more precise error.
 */
const outerMarginMs = 500;

export const databaseTimeouts = {
  /** Maximum time of a batch, without the time in the queue. It equals `responseMs` of adapters/http. */
  batchMs: 4_000,
  /**
   * Minimum time between the start of a database call and its deadline. A call with less time could time out midway,
   * with an unknown outcome.
   */
  minTimeLeftMs: 20,
  /** Average pause before a transaction is repeated after a conflict. It doubles with each attempt. */
  conflictPauseMs: 4,
  /** Time within which calls of a rejected batch may begin separately. Calls that have not begun by then fail. */
  separateCallsMs: 1_500,

  /** Default maximum time of a statement. It is less than `batchMs`, so that a response has the database's error. */
  statementMs,
  /** Maximum time that SQLite waits for a lock. It is less than `batchMs`, so that a response has SQLite's error. */
  sqliteBusyMs: statementMs,
  outerMarginMs,
  /**
   * Time after which PostgreSQL ends an idle transaction, so that a process that hangs does not keep its locks. Long
   * work sends a statement every `keepAwakeMs`.
   */
  idleInTransactionMs: 10_000,
  keepAwakeMs: 1_000,
  /** Maximum time to ask PostgreSQL to cancel a statement (CancelRequest), which needs several round trips. */
  cancelMs: 2_000,
  /**
   * Time between the CancelRequest for a silent session and the destruction of its socket. It is less than
   * `outerMarginMs`, so that the caller of the statement still gets the error.
   */
  cancelHeadStartMs: outerMarginMs / 2,

  // `keyQueryMs` is the maximum time of the query for an API key, and `keyTrustMs` the time for which its result is
  // reused. Their sum must be less than 5 s, because a revoked key must be rejected within that time.
  keyQueryMs: 2_500,
  keyTrustMs: 2_000,

  /** Maximum time to count requests for the rate limit. If the count fails, the request still has time to run. */
  quotaMs: 2_500,
  /**
   * Maximum time that the rate limit waits for the locked row of an owner. One batch counts the requests of several
   * owners, so a longer wait would leave no time for the others.
   */
  quotaLockMs: 500,

  // Maximum time of a readiness check. It is longer than the default database timeouts, so that the response has the
  // database's error. The result is reused for `readinessCacheMs`, because any client can request a check.
  readinessMs: 3_700,
  readinessCacheMs: 1_000,
  /**
   * Maximum time of the commit of a readiness check. It is shorter than `readinessMs`, so that the response has the
   * more precise reason.
   */
  heartbeatMs: 3_600,
  /**
   * Time after which readiness checks PostgreSQL's disk space again, even if no statement has failed for lack of it.
   */
  spaceCheckMs: 20_000,

  /**
   * Maximum time that a migration waits for its lock or for a table. Statements of running services wait behind the
   * migration, and run in the pause before its next attempt.
   */
  migrationLockMs: 2_000,
  migrationPauseMs: 500,
  /** Maximum time of all attempts to migrate. It is long, because the migration of another process may take minutes. */
  migrationWaitMs: 600_000,
  /**
   * Maximum time of each statement when `doctor` tries the migrations and rolls them back, because a statement may
   * block a running service.
   */
  trialMs: 500,
} as const;

/** Times of PostgreSQL sessions, which derive from the maximum time of a statement. */
export const postgresTimeouts = (statementTimeoutMs: number = statementMs) => ({
  statementMs: statementTimeoutMs,
  /**
   * Maximum time that a statement waits for a lock. It leaves time to repeat the creates of a failed batch one by one.
   */
  lockMs: Math.ceil(statementTimeoutMs / 3),
  /** Time without a byte from the server after which a session is closed, because no statement may take so long. */
  silenceMs: statementTimeoutMs + outerMarginMs,
  /**
   * Age from which an idle session is replaced, by default 4 minutes. After a failover, an older session may still work
   * but lead to the former primary.
   */
  lifetimeMs: 80 * statementTimeoutMs,
});

export type PostgresTimeouts = ReturnType<typeof postgresTimeouts>;
