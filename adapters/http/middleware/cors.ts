import type { Headers, Middleware } from '../context';
import { petMethods } from '../operations';

const exposedHeaders = [
  'Link',
  'Location',
  'X-Request-Id',
  'Retry-After',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
].join(',');

const isAllowed = (origins: ReadonlyArray<string>, origin: string): boolean =>
  origin !== '' && (origins.includes('*') || origins.includes(origin));

/**
 * Returns the CORS headers of a response, also of an error (Fetch standard, section 3.3). Credentials are not allowed, since a
 * page sends its API key itself. `Cross-Origin-Resource-Policy` stays strict, since it affects only requests without CORS.
 */
export const corsHeaders = (origins: ReadonlyArray<string>, origin = ''): Headers => {
  if (origins.length === 0) return {};
  if (!isAllowed(origins, origin)) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origins.includes('*') ? '*' : origin,
    'Access-Control-Expose-Headers': exposedHeaders,
  };
};

export const cors =
  (origins: ReadonlyArray<string>): Middleware =>
  (context, next) => {
    const origin = context.get('Origin');
    context.set(corsHeaders(origins, origin));
    const isPreflight = context.method === 'OPTIONS' && context.get('Access-Control-Request-Method') !== '';
    if (!isPreflight || !isAllowed(origins, origin)) return next();
    context.status = 204;
    context.set({
      'Access-Control-Allow-Methods': petMethods.join(),
      'Access-Control-Allow-Headers':
        'Authorization,Content-Type,Idempotency-Key,X-Request-Id,traceparent,tracestate',
      'Access-Control-Max-Age': '7200',
    });
    return undefined;
  };
