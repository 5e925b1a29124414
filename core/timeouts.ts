/*
 * Every time limit of the product. `test/core/timeouts.test.ts` checks which limits must be less than others. A client
 * that has sent its whole request gets an answer within 5 s, because `responseMs` plus two intervals of `sweepMs` is
 * less. The service may notice the end of a body one interval late, and the deadline another interval late.
 */

export const serverTimeouts = {
  // Maximum time from the first byte of a request to the end of its headers, and to the end of its body. Set the
  // limits of a proxy higher: otherwise its error replaces the service's 408.
  headersMs: 10_000,
  requestMs: 20_000,
  maxWaitMs: 1_000,
  /** Maximum time to answer a request, not counting the time in which its body arrives. */
  responseMs: 4_000,
  /** Interval at which the deadlines of all requests are checked, and so the maximum delay of a deadline. */
  sweepMs: 100,
  /**
   * Maximum time that a keep-alive connection is idle. More than the 60 s of nginx and of `deploy/haproxy`, so that the
   * proxy closes connections first.
   */
  idleMs: 65_000,
  // After the last response, a connection discards what the client still sends. It closes once the client has sent
  // nothing for `lingerSilenceMs`, or after `lingerMs`: enough for a client at 100 Mbit/s to send another 60 MB.
  lingerSilenceMs: 1_000,
  lingerMs: 5_000,
  /**
   * Maximum time in which a client reads no byte of its response. The limit is lower while unread responses use too
   * much memory.
   */
  stallMs: 300_000,
  stallSweepMs: 1_000,
  /**
   * Maximum time for which requests are held back to accept new connections first. After a hold of this length,
   * requests run for at least as long before the next hold.
   */
  acceptMs: 50,
  /** Maximum time of a stop, after the delay of STOP_DELAY. A process manager must wait longer. */
  stopMs: 10_000,
  acceptBacklogMs: 1_000,
  quietTurnMs: 0.1,
  firstByteMs: 200,
  /** Maximum time for which a stop waits until proxies close their idle connections. `deploy/nginx` does so in 1 s. */
  idleGraceMs: 1_500,
  idleCheckMs: 20,
} as const;

export const databaseTimeouts = {
  /** Default of POSTGRES_STATEMENT_TIMEOUT, which is at most `maxStatementMs`. A third of it is the lock timeout. */
  statementMs: 3_000,
  maxStatementMs: 9_000,
  sqliteBusyMs: 3_000,
  /**
   * Time by which an outer timeout exceeds the inner one. The pool's timeout exceeds the connection's, and the socket's
   * exceeds the statement's. The inner error is more precise, and must come first.
   */
  graceMs: 500,
  /**
   * Minimum time before the deadline for starting a database call. A later call would time out midway, with an unknown
   * outcome.
   */
  minTimeLeftMs: 20,
  createRetryMs: 1_500,
  conflictDelayMs: 4,
  // Maximum time of the query for an API key, and time for which its result is reused. Their sum must be less than the
  // 5 s within which a revoked key is rejected.
  keyQueryMs: 2_500,
  keyTrustMs: 2_000,
  quotaMs: 2_500,
  /**
   * Maximum time of a readiness check. More than a database timeout plus `graceMs`, so that the check can report
   * the database's error.
   */
  readinessMs: 4_000,
  /** Time for which a readiness result is reused, because each check costs a commit and any client may ask. */
  readinessCacheMs: 1_000,
  /** Maximum time of the queries for a metrics scrape. Prometheus's scrape_timeout must be 5 s or more. */
  scrapeMs: 3_500,
  purgeIntervalMs: 1_000,
  importKeepAliveMs: 1_000,
  idleInTransactionMs: 10_000,
  migrationWaitMs: 600_000,
  /** Pause between attempts to get a lock, in which the statements that queued behind the last attempt can run. */
  lockRetryMs: 500,
  migrationPollMs: 100,
  migrationConnectMs: 9_000,
  migrationKeepAliveMs: 10_000,
} as const;

export const clientTimeouts = {
  attemptMs: 10_000,
  retryForMs: 30_000,
  firstDelayMs: 200,
  maxDelayMs: 5_000,
  /**
   * Time by which an embedded store's deadline exceeds the client's timeout of an attempt. The client's timeout comes
   * first, so the call fails with `timeout` rather than `unavailable`.
   */
  graceMs: 50,
} as const;

export const processTimeouts = {
  lossCheckMs: 500,
  logCloseMs: 1_000,
  outputCloseMs: 1_000,
  doctorMs: 6_000,
} as const;

/** Longest delay of `setTimeout`, 24.8 days. A longer one would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;
