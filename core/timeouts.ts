/*
 * Time limits of the whole product, used all over core, adapters and app. `test/core/timeouts.test.ts` checks which
 * limits must be less than others. A client that has sent its whole request gets an answer within 5 s: `responseMs`
 * plus twice `sweepMs` is less than that. The server checks all requests every `sweepMs`. It may therefore notice the
 * end of a body one `sweepMs` late, and the deadline another `sweepMs` late.
 */

export const serverTimeouts = {
  // Maximum times from the first byte of a request: `headersMs` to the end of its headers, `requestMs` to the end of
  // its body. A proxy in front needs longer limits. Otherwise clients get the proxy's error instead of the service's
  // 408.
  headersMs: 10_000,
  requestMs: 20_000,
  maxWaitMs: 1_000,
  /** Maximum time to answer a request, not counting the time in which its body arrives. */
  responseMs: 4_000,
  sweepMs: 100,
  /**
   * Time after which an idle keep-alive connection is closed. It exceeds the 60 s of nginx and of `deploy/haproxy`, so
   * that the proxy closes the connection first. Otherwise the proxy might send a request just as the service closes the
   * connection.
   */
  idleMs: 65_000,
  // After the last response of a connection, the server discards what the client still sends. The connection closes
  // after `lingerSilenceMs` without a byte, but after `lingerMs` at the latest. In `lingerMs`, a client at 100 Mbit/s
  // can send another 60 MB.
  lingerSilenceMs: 1_000,
  lingerMs: 5_000,
  stallMs: 300_000,
  stallSweepMs: 1_000,
  acceptMs: 50,
  /**
   * Maximum time to close all connections in a shutdown. The setting STOP_DELAY and `acceptBacklogMs` come before it. A
   * process manager must wait longer than all three together before it kills the process.
   */
  stopMs: 10_000,
  acceptBacklogMs: 1_000,
  quietTurnMs: 0.1,
  firstByteMs: 200,
  /**
   * Maximum time for which a shutdown leaves idle connections open, so that a proxy can close them first.
   * `deploy/nginx` closes idle connections after 1 s.
   */
  idleGraceMs: 1_500,
  idleCheckMs: 20,
} as const;

export const databaseTimeouts = {
  statementMs: 3_000,
  maxStatementMs: 9_000,
  sqliteBusyMs: 3_000,
  /**
   * Time by which an outer timeout exceeds an inner one, so that the more precise error of the inner timeout comes
   * first. The pool's timeout is longer than the connection's, and the socket's is longer than the statement's.
   */
  graceMs: 500,
  /**
   * Minimum time that must remain before a deadline to start a database call. A call that starts later would time out
   * midway, with an unknown outcome.
   */
  minTimeLeftMs: 20,
  createRetryMs: 1_500,
  conflictDelayMs: 4,
  // `keyQueryMs` is the maximum time of the query for an API key, and `keyTrustMs` the time for which its result is
  // reused. Their sum must be less than the 5 s within which a revoked key is rejected.
  keyQueryMs: 2_500,
  keyTrustMs: 2_000,
  quotaMs: 2_500,
  // Maximum time of a readiness check. It exceeds the default database timeouts plus `graceMs`, so that the check can
  // report the database's error. The result is reused for `readinessCacheMs`, because each check commits a transaction
  // and any client can request one.
  readinessMs: 4_000,
  readinessCacheMs: 1_000,
  scrapeMs: 3_500,
  purgeIntervalMs: 1_000,
  importKeepAliveMs: 1_000,
  idleInTransactionMs: 10_000,
  migrationWaitMs: 600_000,
  /**
   * Pause before the retry of a migration that waited too long for a lock. In the pause, the statements run that were
   * queued behind the migration.
   */
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
   * Time by which an embedded store's deadline exceeds the client's timeout of an attempt. The client's timeout
   * therefore comes first, and the call fails with `timeout` rather than `unavailable`.
   */
  graceMs: 50,
} as const;

export const processTimeouts = {
  lossCheckMs: 500,
  /** Maximum time of the stop of the server on ADMIN_PORT, which follows that of the public server. */
  adminStopMs: 500,
  logCloseMs: 1_000,
  outputCloseMs: 1_000,
  doctorMs: 6_000,
} as const;

/** Maximum delay of `setTimeout`, 24.8 days. A timer with a longer delay would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;
