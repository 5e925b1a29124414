/** Time limits of this adapter. `test/time-limits.test.ts` checks that inner limits are shorter than outer ones. */
export const databaseTimeouts = {
  /** Maximum time of a batch of repository calls, without the time in the queue. */
  batchMs: 4_000,
  statementMs: 3_000,
  sqliteBusyMs: 3_000,
  /**
   * Difference between an outer timeout, such as the pool's, and an inner one, such as the connection's. The inner one
   * ends first, with a more precise error.
   */
  outerMarginMs: 500,
  /** Time within which creates of a rejected batch may begin separately. Creates that have not begun by then fail. */
  separateCreatesMs: 1_500,
  /** Maximum time of a count of requests for the rate limit. */
  quotaMs: 2_500,
  /** Maximum time to ask PostgreSQL to cancel a statement (CancelRequest). */
  cancelMs: 2_000,
  // `keyQueryMs` is the maximum time of the query for an API key, and `keyTrustMs` the time for which its result is
  // reused. Their sum must be less than 5 s, because a revoked key must be rejected within that time.
  keyQueryMs: 2_500,
  keyTrustMs: 2_000,
  // Maximum time of a readiness check. It is longer than the default database timeouts, so that the response has the
  // database's error. The result is reused for `readinessCacheMs`, because any client can request a check.
  readinessMs: 3_700,
  /**
   * Maximum time of the commit of a readiness check. It is shorter than `readinessMs`, so that its more precise reason
   * is reported.
   */
  heartbeatMs: 3_600,
  readinessCacheMs: 1_000,
  /**
   * Time after which readiness checks PostgreSQL's disk space again, even if no statement has failed for lack of it.
   */
  spaceCheckMs: 20_000,
  keepAwakeMs: 1_000,
  idleInTransactionMs: 10_000,
} as const;
