/*
 * Every time limit of the product, with what it depends on. `test/core/timeouts.test.ts` checks the order.
 * A client that has sent its request gets an answer within 5 s: `responseMs` and `sweepMs` leave a reserve.
 */

export const serverTimeouts = {
  /** From the first byte of a request to the end of its head. Less than `requestMs`. */
  headersMs: 10_000,
  /** From the first byte of a request to the end of its body. A proxy's limit for a body must be longer. */
  requestMs: 20_000,
  /**
   * Default of MAX_WAIT. 1.25 times this value is less than `responseMs`, so that overload is shed before the deadline.
   */
  maxWaitMs: 1_000,
  /** Time to answer a request, without the time to receive its body. Longer than every limit of a database adapter. */
  responseMs: 4_000,
  /** Interval of the sweep over all connections, and so the maximum delay of a deadline. */
  sweepMs: 100,
  /**
   * Maximum time that a connection is idle. Longer than in proxies (nginx and HAProxy: 60 s), so that the proxy closes
   * the connection first.
   */
  idleMs: 65_000,
  /**
   * Time without bytes from the client before a connection closes after its last response. Less than
   * `lingerMs`.
   */
  lingerSilenceMs: 1_000,
  /** Time to read from the client after the last response: 20 MB take 1.6 s at 100 Mbit/s. Less than `stopMs`. */
  lingerMs: 5_000,
  /** Time without progress of a client that reads a response. Readers that hold much memory are cut off sooner. */
  stallMs: 300_000,
  stallSweepMs: 1_000,
  /**
   * Maximum time that requests are held back so that new connections are accepted first. After such a hold, also the
   * minimum time until the next. Far less than `maxWaitMs`.
   */
  acceptMs: 50,
  /** Time of a stop, after STOP_DELAY. More than `responseMs` and `lingerMs`; a process manager must wait longer. */
  stopMs: 10_000,
  /** Maximum time of a stop for accepting connections that the kernel has established already. */
  acceptBacklogMs: 1_000,
  /** A tick of the event loop that is shorter, and accepts no connection, shows that no client waits to be accepted. */
  quietTurnMs: 0.1,
  /** Time for a new connection to send its first byte during a stop. Less than `stopMs`. */
  firstByteMs: 200,
  /** Maximum time that a stop waits for proxies to close idle connections. `deploy/nginx` closes them after 1 s. */
  idleGraceMs: 1_500,
  idleCheckMs: 20,
} as const;

export const databaseTimeouts = {
  /**
   * Default of POSTGRES_STATEMENT_TIMEOUT. The sum of this and `graceMs` is less than `responseMs`. A wait for a lock
   * ends after a third of the timeout.
   */
  statementMs: 3_000,
  /** Maximum of POSTGRES_STATEMENT_TIMEOUT. Less than `idleInTransactionMs`. */
  maxStatementMs: 9_000,
  /**
   * Maximum wait for another process's lock on a SQLite file. The sum of this and `graceMs` is less than `responseMs`.
   */
  sqliteBusyMs: 3_000,
  /**
   * Margin added to the statement timeout for the pool's timeout and the silent-connection timeout, so that the
   * database's own error arrives first.
   */
  graceMs: 500,
  /** Minimum time left to start a call. With less, it would time out midway with an unknown outcome. */
  minTimeLeftMs: 20,
  /**
   * Time for retrying the creates of a failed batch. The sum of this and two waits for a lock is less than
   * `responseMs`.
   */
  createRetryMs: 1_500,
  /** First maximum of the random backoff of conflicting transactions, which doubles with each of six attempts. */
  conflictDelayMs: 4,
  /**
   * Time to query an API key. The sum of this and `keyTrustMs` is less than the 5 s within which a revocation takes
   * effect.
   */
  keyQueryMs: 2_500,
  keyTrustMs: 2_000,
  quotaMs: 2_500,
  /**
   * Maximum time of a readiness check. More than the sum of `graceMs` and `statementMs` or `sqliteBusyMs`, so that the
   * cause is reported.
   */
  readinessMs: 4_000,
  /** Lifetime of a readiness result, because each check costs a commit and any client may ask. */
  readinessCacheMs: 1_000,
  /**
   * Time of the queries of a metrics scrape. Less than `responseMs`; an operator's scrape_timeout must be 5 s
   * or more.
   */
  scrapeMs: 3_500,
  /** Pause between purges of expired idempotency keys. */
  purgeIntervalMs: 1_000,
  /** Maximum pause between statements of an import. Less than `statementMs` and `idleInTransactionMs`. */
  importSilenceMs: 1_000,
  /** The database then frees the locks of a process that hangs. */
  idleInTransactionMs: 10_000,
  /** Maximum time that a migration waits for those of other processes, which may take minutes. */
  migrationWaitMs: 600_000,
  /** Pause between attempts at a lock, so that the statements queued behind the lock request can run. */
  lockRetryMs: 500,
  migrationPollMs: 100,
  migrationConnectMs: 9_000,
  migrationKeepAliveMs: 10_000,
} as const;

export const clientTimeouts = {
  /** Time of an attempt. More than the 5 s in which the service answers. */
  attemptMs: 10_000,
  retryForMs: 30_000,
  firstDelayMs: 200,
  maxDelayMs: 5_000,
  /**
   * Margin of the deadline in an embedded store over the time of the attempt, so that the attempt reports a timeout
   * first.
   */
  graceMs: 50,
} as const;

export const processTimeouts = {
  lossCheckMs: 500,
  logCloseMs: 1_000,
  outputCloseMs: 1_000,
  /**
   * Maximum wait of `doctor` for a running service. Longer than the 5 s within which the service answers every request.
   */
  doctorMs: 6_000,
} as const;

/** Longest delay of a timer. A longer one would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;
