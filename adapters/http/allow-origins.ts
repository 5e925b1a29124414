import cors from '@koa/cors';
import type { Middleware } from 'koa';

const requestHeaders = ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id', 'traceparent'];

const exposedHeaders = [
  'Link',
  'X-Request-Id',
  'Retry-After',
  'Deprecation',
  'Sunset',
  'Idempotent-Replayed',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
];

/** In seconds: how long a browser may remember the answer to a preflight. */
const maxAge = 7_200;

/**
 * Lets pages of these origins, or of any where `*` is among them, call the service and read the answers of the
 * routes, errors too (Fetch standard, section 3.3); what is refused before the routes they can't read. A page sends its API key itself; cookies have no part in it.
 * `Cross-Origin-Resource-Policy` may stay strict: it stops only requests that don't ask in the CORS way.
 */
export const allowOrigins = (origins: ReadonlyArray<string>): Middleware =>
  cors({
    origin: (context) => {
      const origin = context.get('Origin');
      if (origin === '') return '';
      if (origins.includes('*')) return '*';
      return origins.includes(origin) ? origin : '';
    },
    allowMethods: ['GET', 'HEAD', 'POST'],
    allowHeaders: requestHeaders,
    exposeHeaders: exposedHeaders,
    maxAge,
    keepHeadersOnError: false,
  });
