import * as E from 'fp-ts/Either';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { OpenAnimalStore, Quota } from '../../core';
import { type Context, deadlineFromNow, type Headers, type Middleware, type PetMiddleware } from './context';
import { fail, type HttpFailure } from './errors';
import { petMethods } from './operations';

const wellFormed = /^[\w.:~+/=-]{1,128}$/;

export const requestIdOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string => {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && wellFormed.test(given)) return given;
  const id = randomUUID();
  headers['x-request-id'] = id;
  return id;
};

export const catchDefects = async (context: Context, next: () => unknown): Promise<void> => {
  try {
    await next();
  } catch (cause) {
    fail(context, { _tag: 'Defect', cause });
  }
};

/** Security headers of every response. OWASP recommends them for APIs; pages.ts adds those for HTML pages. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
} as const;

export const setDefaultHeaders: Middleware = (context, next) => {
  context.set('X-Request-Id', requestIdOf(context.req));
  context.set(securityHeaders);
  return next();
};

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
 * Returns the CORS headers of a response (Fetch standard, section 3.3). app.ts adds them to the errors of
 * the HTTP server, so that a page can read these errors too. Credentials such as cookies are not allowed, because a
 * page sends its API key itself.
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

// Matches only spaces and tabs around the key, as RFC 9110 allows. `\s` would also match a no-break space.
const bearer = /^[ \t]*Bearer +((?:.*[^ \t])?)[ \t]*$/i;

/**
 * Extracts the API key from an Authorization header. With a scheme other than Bearer (RFC 6750, section 2.1), the key
 * counts as missing.
 */
const bearerKey = (authorization: string): E.Either<HttpFailure, string> => {
  const key = bearer.exec(authorization)?.[1];
  if (key === undefined) return E.left({ _tag: 'MissingApiKey' });
  return bearer.test(key) ? E.left({ _tag: 'RepeatedBearer' }) : E.right(key);
};

const setQuotaHeaders = (context: Context, quota: Quota | undefined): void => {
  if (quota === undefined) return;
  const { requests, seconds, remaining, resetsInSeconds } = quota;
  context.set('RateLimit', `"default";r=${remaining};t=${resetsInSeconds}`);
  context.set('RateLimit-Policy', `"default";q=${requests};w=${seconds}`);
};

/** Opens the store with the request's API key. */
export const authenticate =
  (openStore: OpenAnimalStore): PetMiddleware =>
  async (context, next) => {
    const key = bearerKey(context.req.headers.authorization ?? '');
    if (E.isLeft(key)) {
      fail(context, key.left);
      return;
    }
    const deadline = deadlineFromNow();
    const opened = await openStore(key.right, deadline)();
    if (E.isLeft(opened)) {
      if (opened.left._tag === 'QuotaExceeded') {
        context.state.caller = opened.left.caller;
        setQuotaHeaders(context, opened.left.quota);
      }
      fail(context, opened.left);
      return;
    }
    context.state.caller = opened.right.caller;
    context.state.store = opened.right;
    context.state.deadline = deadline;
    setQuotaHeaders(context, opened.right.quota);
    await next();
  };
