/*
 * Every time limit of the product, and which limits must be less than others, as `test/core/timeouts.test.ts` checks.
 * A client that has sent its whole request gets an answer within 5 s: `responseMs` and two intervals of `sweepMs` are
 * less.
 */

export const serverTimeouts = {
  /** Maximum time from the first byte of a request to the end of its headers. Must be less than `requestMs`. */
  headersMs: 10_000,
  /** Maximum time from the first byte of a request to the end of its body. A proxy in front must allow more for a body. */
  requestMs: 20_000,
  /**
   * Default of MAX_WAIT. Requests that would wait longer in the queue are rejected. 1.25 times this value must be less
   * than `responseMs`.
   */
  maxWaitMs: 1_000,
  /**
   * Maximum time to answer a request, not counting the time in which its body arrives. Must be more than every limit of
   * a database call.
   */
  responseMs: 4_000,
  /** Interval at which the deadlines of all requests are checked, and so the maximum delay of a deadline. */
  sweepMs: 100,
  /**
   * Maximum time that a keep-alive connection is idle. More than the 60 s of nginx and HAProxy, so that the proxy
   * closes connections first.
   */
  idleMs: 65_000,
  /**
   * Maximum silence of a client after the last response, before its connection is destroyed. Must be less than
   * `lingerMs`.
   */
  lingerSilenceMs: 1_000,
  /**
   * Maximum time to discard what a client still sends after the last response; 20 MB take 1.6 s at 100 Mbit/s. Must be
   * less than `stopMs`.
   */
  lingerMs: 5_000,
  /**
   * Maximum time in which a client reads no byte of its response. The limit is lower while unread responses use too
   * much memory.
   */
  stallMs: 300_000,
  stallSweepMs: 1_000,
  /**
   * Maximum time for which requests are held back to accept new connections first, and minimum pause between two such
   * holds. Must be far less than `maxWaitMs`.
   */
  acceptMs: 50,
  /**
   * Maximum time of a stop, after the delay of STOP_DELAY. Must be more than `responseMs` and `lingerMs`; a process
   * manager must wait longer.
   */
  stopMs: 10_000,
  acceptBacklogMs: 1_000,
  /**
   * A stop accepts connections until a tick of the event loop brings none. Only a tick shorter than this counts, since
   * more can arrive in a longer one.
   */
  quietTurnMs: 0.1,
  /** Time for which a stop waits for the first byte of a new connection. Must be less than `stopMs`. */
  firstByteMs: 200,
  /**
   * Maximum time for which a stop waits for proxies to close their idle connections. `deploy/nginx` closes them after 1
   * s.
   */
  idleGraceMs: 1_500,
  idleCheckMs: 20,
} as const;

export const databaseTimeouts = {
  /**
   * Default of POSTGRES_STATEMENT_TIMEOUT; a third of it is the lock timeout. The sum of this and `graceMs` must be
   * less than `responseMs`.
   */
  statementMs: 3_000,
  /** Maximum of POSTGRES_STATEMENT_TIMEOUT. Must be less than `idleInTransactionMs`. */
  maxStatementMs: 9_000,
  /**
   * Maximum wait for another process's lock on a SQLite file. The sum of this and `graceMs` must be less than
   * `responseMs`.
   */
  sqliteBusyMs: 3_000,
  /**
   * Time by which the timeouts of the driver and its pool exceed those of the database, whose own error then arrives
   * first.
   */
  graceMs: 500,
  /**
   * Minimum time before the deadline for starting a database call. A later call would time out midway, with an unknown
   * outcome.
   */
  minTimeLeftMs: 20,
  /**
   * Maximum time to retry the creates of a failed batch. The sum of this and two lock timeouts must be less than
   * `responseMs`.
   */
  createRetryMs: 1_500,
  /** Base of the random backoff after two transactions conflict: up to 2^n times this value before retry n. */
  conflictDelayMs: 4,
  /**
   * Maximum time to query an API key. With `keyTrustMs` it must be less than the 5 s within which a revocation takes
   * effect.
   */
  keyQueryMs: 2_500,
  keyTrustMs: 2_000,
  quotaMs: 2_500,
  /**
   * Maximum time of a readiness check. More than the database's own timeouts and `graceMs`, so that the check can
   * report their cause.
   */
  readinessMs: 4_000,
  /** Lifetime of a readiness result, because each check costs a commit and any client may ask. */
  readinessCacheMs: 1_000,
  /**
   * Maximum time of the queries for a metrics scrape. Must be less than `responseMs`. Prometheus's scrape_timeout must
   * be 5 s or more.
   */
  scrapeMs: 3_500,
  purgeIntervalMs: 1_000,
  /**
   * Interval of the statements that keep an import's transaction alive. Must be less than `statementMs` and
   * `idleInTransactionMs`.
   */
  importSilenceMs: 1_000,
  /** Time after which PostgreSQL ends an idle transaction, so that a process that hangs does not keep its locks. */
  idleInTransactionMs: 10_000,
  /** Maximum time that a migration waits for migrations of other processes, which may take minutes. */
  migrationWaitMs: 600_000,
  /** Pause between attempts to get a lock, in which the statements that queued behind the last attempt can run. */
  lockRetryMs: 500,
  migrationPollMs: 100,
  migrationConnectMs: 9_000,
  migrationKeepAliveMs: 10_000,
} as const;

export const clientTimeouts = {
  /** Maximum time of an attempt. Must be more than the 5 s within which the service answers. */
  attemptMs: 10_000,
  retryForMs: 30_000,
  firstDelayMs: 200,
  maxDelayMs: 5_000,
  /**
   * Time by which the deadline of an embedded store exceeds the attempt's timeout, so that the attempt reports the
   * timeout first.
   */
  graceMs: 50,
} as const;

export const processTimeouts = {
  lossCheckMs: 500,
  logCloseMs: 1_000,
  outputCloseMs: 1_000,
  /** Maximum wait of `doctor` for a running service. Must be more than the 5 s within which the service answers. */
  doctorMs: 6_000,
} as const;

/** Longest delay of `setTimeout`, 24.8 days. A longer one would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;
