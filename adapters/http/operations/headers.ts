/** Response headers of the API. openapi.json describes them, and pages of other origins may read them (CORS). */
export const exposedHeaders = [
  ...(['Accept', 'Allow', 'Deprecation', 'Idempotent-Replayed', 'Link', 'Location', 'RateLimit'] as const),
  ...(['RateLimit-Policy', 'Retry-After', 'Sunset', 'Unknown-Fields', 'WWW-Authenticate'] as const),
  'X-Request-Id',
] as const;

/** Request headers that pages of other origins may send: those of the API, and those of tracing libraries. */
export const acceptedHeaders = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
  ...['baggage', 'sentry-trace', 'traceparent', 'tracestate'],
];

/** Response headers for browsers, caches and proxies. */
type TransportHeader = 'ETag' | 'Referrer-Policy' | 'Vary' | 'X-Content-Type-Options' | 'X-Frame-Options';

/** Headers of a response. The compiler accepts only names in a list of this file, or with one of these prefixes. */
export type Headers = Readonly<
  Partial<Record<(typeof exposedHeaders)[number] | TransportHeader, string>> &
    Record<`${'Access-Control' | 'Cache' | 'Content' | 'Cross-Origin'}-${string}`, string>
>;

/** Security headers that OWASP recommends for APIs. The web pages and their files replace some of them. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
} satisfies Headers;
