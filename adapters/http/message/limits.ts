/** Limits of a request. The error messages contain these numbers. */
export const requestLimits = {
  // RFC 9112, section 3, recommends at least 8,000 bytes for the request line.
  headBytes: 16_384,
  headers: 128,
  bodyBytes: 16_000,
  // Maximum times from the first byte of a request: `headMs` to the end of its headers, `requestMs` to the end of its
  // body. A proxy in front needs longer limits, so that clients get the service's 408 and not the proxy's error.
  headMs: 10_000,
  requestMs: 20_000,
  // Maximum time from the start of a request to its reply. Includes a hold by `RequestQueue`, but no wait for a body.
  responseMs: 4_000,
  // Time for a body after which the API key is checked again, because it may have been revoked during this time.
  recheckKeyAfterMs: 1_000,
  // Limits on the rest of a body that is discarded, so that its sender can read the response.
  discardedBytes: 8_000_000,
  discardMs: 1_000,
} as const;
