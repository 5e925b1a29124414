import type { IncomingMessage } from 'node:http';
import type { Headers } from './headers';

const none: Headers = {};

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

export const isAllowedOrigin = (origins: ReadonlyArray<string>, origin: string | undefined): boolean =>
  origin !== undefined && (origins.includes('*') || origins.includes(origin));

/**
 * The headers with which pages of these origins, or of any where `*` is among them, may read a response, a failure
 * too (Fetch standard, section 3.3). `Cross-Origin-Resource-Policy` may stay strict: it stops only requests that don't ask in the
 * CORS way. A page sends its API key itself; cookies have no part in it.
 */
export const crossOriginHeaders =
  (origins: ReadonlyArray<string>) =>
  ({ headers: { origin } }: IncomingMessage): Headers => {
    if (origins.length === 0) return none;
    return origin === undefined || !isAllowedOrigin(origins, origin)
      ? { Vary: 'Origin' }
      : {
          Vary: 'Origin',
          'Access-Control-Allow-Origin': origins.includes('*') ? '*' : origin,
          'Access-Control-Expose-Headers': exposedHeaders,
        };
  };
