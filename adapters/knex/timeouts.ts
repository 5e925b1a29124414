/** Time limits of this adapter. `test/time-limits.test.ts` checks which limits must be less than others. */
export const databaseTimeouts = {
  /** Maximum time of a batch of repository calls, once it has begun. */
  callMs: 4_000,
  statementMs: 3_000,
  sqliteBusyMs: 3_000,
  /**
   * Time by which an outer timeout exceeds an inner one, so that the more precise error of the inner timeout comes
   * first. The pool's timeout is longer than the connection's, and the socket's is longer than the statement's.
   */
  graceMs: 500,
  createRetryMs: 1_500,
  // `keyQueryMs` is the maximum time of the query for an API key, and `keyTrustMs` the time for which its result is
  // reused. Their sum must be less than the 5 s within which a revoked key is rejected.
  keyQueryMs: 2_500,
  keyTrustMs: 2_000,
  // Maximum time of a readiness check. It exceeds the default database timeouts plus `graceMs`, so that the check can
  // report the database's error. The result is reused for `readinessCacheMs`, because each check commits a transaction
  // and any client can request one.
  readinessMs: 4_000,
  readinessCacheMs: 1_000,
  keepAwakeMs: 1_000,
  idleInTransactionMs: 10_000,
} as const;

/** Rejects if work does not end in time. The work continues, but its result is ignored. */
export const withTimeout = <A>(work: Promise<A>, timeoutMs: number): Promise<A> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`the database did not answer within ${timeoutMs} ms`));
    }, timeoutMs);
    void work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
