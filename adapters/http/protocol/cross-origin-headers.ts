import type { IncomingMessage } from 'node:http';
import type { Headers } from './headers';

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
].join(',');

/**
 * What lets pages of these origins, or of any where `*` is among them, read an answer, be it a refusal (Fetch
 * standard, section 3.3). `Cross-Origin-Resource-Policy` may stay strict: it stops only requests that don't ask in the
 * CORS way. A page sends its API key itself; cookies have no part in it.
 */
export const crossOriginHeaders =
  (origins: ReadonlyArray<string>) =>
  ({ headers: { origin } }: IncomingMessage): Headers => {
    if (origins.length === 0) return {};
    const allowed = origins.find((one) => one === '*' || one === origin);
    return origin === undefined || allowed === undefined
      ? { Vary: 'Origin' }
      : {
          Vary: 'Origin',
          'Access-Control-Allow-Origin': allowed,
          'Access-Control-Expose-Headers': exposedHeaders,
        };
  };
