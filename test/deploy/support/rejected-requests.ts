type Rejected = ReadonlyArray<readonly [head: string, statuses: ReadonlyArray<number>]>;

/** Requests that a proxy may reject itself, and the statuses it may answer with. */
const rejectedByAll: Rejected = [
  [`GET /v1/pets HTTP/1.1\r\nX: ${'x'.repeat(17_000)}`, [431]],
  [`GET /v1/pets?x=${'x'.repeat(17_000)} HTTP/1.1`, [431]],
  [`GET /v1/pets HTTP/1.1\r\n${'X: y\r\n'.repeat(128)}X: y`, [431]],
  ['GET /v1/pets/%00 HTTP/1.1', [400, 401]],
  ['TRACE /v1/pets HTTP/1.1', [400, 401]],
  ['GET /errors/late HTTP/1.1', [404]],
  ['GET //errors/late HTTP/1.1', [404]],
  ['GET /%2Ferrors/late HTTP/1.1', [404]],
];

const unknownVersion: Rejected = [['GET /v1/pets HTTP/3.0', [400, 401]]];

const unparsable: Rejected = [
  ['GET /v1/pets HTTP/1.1\r\nno header', [400]],
  ['POST /v1/pets HTTP/1.1\r\nTransfer-Encoding: gzip, chunked', [400]],
];

/**
 * Requests that each proxy may reject itself. HAProxy 2.6 answers a head that it cannot parse with HTML, whatever its
 * `http-error` says, and Caddy with text.
 */
export const rejectedRequests: Readonly<Record<string, Rejected>> = {
  nginx: [...rejectedByAll, ...unknownVersion, ...unparsable],
  HAProxy: [...rejectedByAll, ...unknownVersion],
  Caddy: rejectedByAll,
};
