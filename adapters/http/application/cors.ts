import * as E from 'fp-ts/Either';
import { type Middleware, writeOutcome } from '../koa';
import { acceptedHeaders, exposedHeaders, type Headers, securityHeaders } from '../operations/headers';
import { petMethods } from '../operations/pet-operations';

/**
 * Sets CORS headers. Answers preflight requests of allowed origins. Reports preflight requests of other origins, and
 * leaves them to the next middleware.
 */
export const cors =
  (origins: ReadonlyArray<string>, preflightRejected?: (origin: string) => void): Middleware =>
  (context, next) => {
    const origin = context.get('Origin');
    if (origins.length > 0) context.set(corsHeaders(origins, origin));
    const isPreflight = context.method === 'OPTIONS' && context.get('Access-Control-Request-Method') !== '';
    if (!isPreflight) return next();
    if (!isAllowed(origins, origin)) {
      if (loggableOrigin.test(origin)) preflightRejected?.(origin);
      return next();
    }
    writeOutcome(context, E.right(preflightReply));
    return undefined;
  };

// Matches only well-formed origins, because the origin is logged.
const loggableOrigin = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]{1,255})$/i;

const preflightReply = {
  status: 204,
  headers: {
    ...securityHeaders,
    'Access-Control-Allow-Methods': petMethods.join(),
    'Access-Control-Allow-Headers': acceptedHeaders.join(),
    'Access-Control-Max-Age': '7200',
  },
  body: '',
};

/**
 * Returns the CORS headers of a response (Fetch standard, section 3.3). Does not allow credentials such as cookies,
 * because a page sends its API key in `Authorization`.
 */
export const corsHeaders = (origins: ReadonlyArray<string>, origin = ''): Headers => {
  if (origins.length === 0) return {};
  if (!isAllowed(origins, origin)) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origins.includes('*') ? '*' : origin,
    'Access-Control-Expose-Headers': exposed,
  };
};

const exposed = exposedHeaders.join();

const isAllowed = (origins: ReadonlyArray<string>, origin: string): boolean =>
  origin !== '' && (origins.includes('*') || origins.includes(origin));
