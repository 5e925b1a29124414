/** Response headers of the API. openapi.json describes them, and pages of other origins may read them (CORS). */
export const exposedHeaders = [
  'Accept',
  'Allow',
  'Deprecation',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'Unknown-Fields',
  'WWW-Authenticate',
  'X-Request-Id',
] as const;

/** Request headers that pages of other origins may send: those of the API, and those of tracing libraries. */
export const acceptedHeaders = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
  ...['baggage', 'sentry-trace', 'traceparent', 'tracestate'],
];

/** Response headers for browsers, caches and proxies. */
type TransportHeader =
  | 'Access-Control-Allow-Headers'
  | 'Access-Control-Allow-Methods'
  | 'Access-Control-Allow-Origin'
  | 'Access-Control-Expose-Headers'
  | 'Access-Control-Max-Age'
  | 'Cache-Control'
  | 'Content-Encoding'
  | 'Content-Length'
  | 'Content-Security-Policy'
  | 'Content-Type'
  | 'Cross-Origin-Resource-Policy'
  | 'ETag'
  | 'Referrer-Policy'
  | 'Vary'
  | 'X-Content-Type-Options'
  | 'X-Frame-Options';

/** Headers of a response. The compiler reports a name that is in no list of this file. */
export type Headers = Readonly<Partial<Record<(typeof exposedHeaders)[number] | TransportHeader, string>>>;

/** Security headers that OWASP recommends for APIs. The web pages and their files replace some of them. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
} satisfies Headers;
