/*
 * Time limits of the HTTP server and the client. `test/time-limits.test.ts` checks which limits must be less than
 * others. A client that has sent its whole request gets an answer within 5 s: `responseMs`
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
