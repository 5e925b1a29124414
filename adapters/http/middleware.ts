import * as E from 'fp-ts/Either';
import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../core';
import type { Headers, HttpFailure } from './errors';
import { failureReply, type Reply } from './messages';
import { petMethods } from './operations';
import { drainBody } from './request';

/** State of a request in Koa, which the access log reads when the response has ended. */
export interface State {
  requestId?: string;
  /** Path of the route, such as `/v1/pets/:petId`. */
  route?: string;
  caller?: Caller;
  failure?: HttpFailure;
  /** Id of the animal of a create. */
  createdId?: bigint | undefined;
}

export type Context = ParameterizedContext<State>;
export type Middleware = KoaMiddleware<State>;

/** Writes a reply, or the reply to a failure, whose cause is emitted as the application's `error` event. */
export const respond = (context: Context, outcome: E.Either<HttpFailure, Reply>): void => {
  const { app, state } = context;
  if (E.isLeft(outcome)) {
    state.failure = outcome.left;
    if ('cause' in outcome.left) app.emit('error', outcome.left.cause, context);
  }
  const { status, headers, body, createdId } = E.isLeft(outcome) ? failureReply(outcome.left) : outcome.right;
  state.createdId = createdId;
  context.status = status;
  context.set(headers);
  if (headers['ETag'] !== undefined && context.fresh) context.status = 304;
  else context.body = body;
};

const wellFormed = /^[\w.:~+/=-]{1,128}$/;

/** Returns the id that a client has given to its request, or a new id. */
export const requestIdOf = ({ 'x-request-id': given }: IncomingHttpHeaders): string =>
  typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();

/** Security headers of every response, which OWASP recommends for APIs. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
} as const;

export const setDefaultHeaders: Middleware = (context, next) => {
  const requestId = requestIdOf(context.req.headers);
  context.state.requestId = requestId;
  context.set('X-Request-Id', requestId);
  context.set(securityHeaders);
  return next();
};

/**
 * Answers 500 if a later middleware throws. Then reads the rest of the request's body before the response is sent.
 * Otherwise a proxy might send its next request in place of the rest. Past a limit, the response closes the connection.
 */
export const completeRequests = async (context: Context, next: () => unknown): Promise<void> => {
  try {
    await next();
  } catch (cause) {
    respond(context, E.left({ _tag: 'Defect', cause }));
  }
  if (!context.req.complete && !(await drainBody(context.req))) context.set('Connection', 'close');
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
  'Unknown-Fields',
  'WWW-Authenticate',
].join(',');

const isAllowed = (origins: ReadonlyArray<string>, origin: string): boolean =>
  origin !== '' && (origins.includes('*') || origins.includes(origin));

/**
 * Returns the CORS headers of a response (Fetch standard, section 3.3). Credentials such as cookies are not allowed,
 * because a page sends its API key itself.
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

// Matches only well-formed origins, because the log shows them.
const loggableOrigin = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]{1,255})$/i;

/** Answers preflight requests of allowed origins. Reports those of other origins, which need a key like any request. */
export const cors =
  (origins: ReadonlyArray<string>, preflightRejected?: (origin: string) => void): Middleware =>
  (context, next) => {
    const origin = context.get('Origin');
    context.set(corsHeaders(origins, origin));
    const isPreflight = context.method === 'OPTIONS' && context.get('Access-Control-Request-Method') !== '';
    if (!isPreflight) return next();
    if (!isAllowed(origins, origin)) {
      if (loggableOrigin.test(origin)) preflightRejected?.(origin);
      return next();
    }
    context.status = 204;
    context.set({
      'Access-Control-Allow-Methods': petMethods.join(),
      'Access-Control-Allow-Headers':
        'Authorization,Content-Type,Idempotency-Key,X-Request-Id,baggage,sentry-trace,traceparent,tracestate',
      'Access-Control-Max-Age': '7200',
    });
    return undefined;
  };
