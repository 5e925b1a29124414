/** Time limits of connections and of the whole server. Time limits of a request are in `requestLimits`. */
export const serverTimeouts = {
  sweepMs: 500,
  /** Maximum time for which `RequestQueue` holds requests while clients connect. */
  acceptHoldMs: 1_000,
  /**
   * Maximum time to close all connections in a shutdown. It begins after STOP_DELAY and `acceptBacklogMs`. A process
   * manager must wait longer than the sum of these three times before it kills the process.
   */
  stopMs: 10_000,
  acceptBacklogMs: 500,
  /**
   * Time without a new connection after which a shutdown closes the server. Clients that got a response have then
   * connected again.
   */
  quietMs: 50,
  quietTickMs: 0.1,
  firstByteMs: 200,
  /**
   * Maximum time for which a shutdown leaves idle connections open, so that a proxy can close them first.
   * `deploy/nginx` closes idle connections after 1 s.
   */
  idleGraceMs: 1_500,
  idleCheckMs: 20,
} as const;
