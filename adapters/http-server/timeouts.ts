/** Time limits of the server. README.md has a table of which must be longer than which. */
export const timeouts = {
  /** Maximum time from the first byte of a request to the end of its head. */
  headersMs: 10_000,
  /** Maximum time from the first byte of a request to the end of its body. */
  requestMs: 20_000,
  /** Maximum time to answer a request, without the time to receive its body. */
  responseMs: 4_000,
  /** Interval of the sweep over all connections, and so the maximum delay of a deadline. */
  sweepMs: 100,
  idleMs: 65_000,
  /** Silence of the client after which a connection closes that has sent its last response. */
  lingerSilenceMs: 1_000,
  /** Maximum time to read from the client after the last response: 20 MB take 1.6 s at 100 Mbit/s. */
  lingerMs: 5_000,
  /** Maximum time without progress of a client that reads a response. */
  stallMs: 300_000,
  stallSweepMs: 1_000,
  /** Maximum time to hold requests back while connections arrive, and the minimum time between two such holds. */
  acceptMs: 50,
  /** Maximum time of a stop, after its delay. */
  stopMs: 10_000,
  /** Maximum time of a stop to accept connections that the kernel has established. */
  acceptBacklogMs: 1_000,
  /** Maximum length of a quiet tick of the event loop during a stop. */
  quietTurnMs: 0.1,
  /** Maximum time for a new connection to send its first byte during a stop. */
  firstByteMs: 200,
  idleCheckMs: 20,
} as const;
