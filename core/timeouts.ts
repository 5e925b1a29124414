/* Time limits of the client. `test/time-limits.test.ts` checks which limits must be less than others. */

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
