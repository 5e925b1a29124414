import * as E from 'fp-ts/Either';
import Koa from 'koa';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { OpenAnimalStore } from '../../core';
import { describeFailure, type Headers, type HttpFailure, type RequestHead } from './errors';
import { failureReply } from './messages';
import { petMethods } from './pet-operations';
import { drainBody } from './request';
import { clientAddressOf, type Reporter, unauthorizedReasonOf } from './request-records';
import { addPetRoutes, type Context, type Middleware, respond, type State } from './routes';
import { addAdminRoutes, addPublicRoutes, type CheckReadiness, type ReadMetrics } from './service-routes';

const clientClosedRequest = 499;

const maxPathLength = 1_000;

/** States of the requests that an application has received. The HTTP server may still answer such a request itself. */
const states = new WeakMap<RequestHead, State>();

const accessLog =
  (reporter: Reporter, trustedProxies: number): Middleware =>
  (context, next) => {
    const { req: request, res: response, path, state } = context;
    const arrivedAt = performance.now();
    // Read the address now, because a closed socket no longer has it.
    const clientAddress = clientAddressOf(request, trustedProxies);
    states.set(request, state);
    reporter.requestStarted?.();
    response.on('close', () => {
      const { rejection } = state;
      const failure = rejection ?? state.failure;
      const unsentStatus = rejection === undefined ? clientClosedRequest : describeFailure(rejection).status;
      reporter.requestEnded({
        method: request.method ?? '',
        path: path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path,
        route: state.route,
        status: response.headersSent ? response.statusCode : unsentStatus,
        code: failure && describeFailure(failure).code,
        reason: failure && unauthorizedReasonOf(failure),
        milliseconds: Math.round((performance.now() - arrivedAt) * 1_000) / 1_000,
        keyId: state.caller?.keyId ?? (failure?._tag === 'InvalidApiKey' ? failure.keyId : undefined),
        owner: state.caller?.ownerId,
        petId: state.createdId?.toString(),
        clientAddress,
        requestId: state.requestId ?? '',
        unknownFields: response.getHeader('Unknown-Fields')?.toString(),
      });
    });
    return next();
  };

const wellFormed = /^[\w.:~+/=-]{1,128}$/;

/** Returns the `X-Request-Id` of a request if it is well-formed, otherwise a new UUID. */
const requestIdOf = ({ 'x-request-id': given }: IncomingHttpHeaders): string =>
  typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();

/** Security headers that OWASP recommends for APIs. The web pages and their files replace some of them. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
} as const;

const setDefaultHeaders: Middleware = (context, next) => {
  const requestId = requestIdOf(context.req.headers);
  context.state.requestId = requestId;
  context.set('X-Request-Id', requestId);
  context.set(securityHeaders);
  return next();
};

/**
 * Answers 500 if a later middleware throws. Delays every response until the rest of the request's body has arrived.
 * Otherwise a proxy might stop sending the body, and the server would read its next request as the rest. If `drainBody`
 * gives up, the response closes the connection.
 */
const completeRequests = async (context: Context, next: () => unknown): Promise<void> => {
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
 * Returns the CORS headers of a response (Fetch standard, section 3.3). Does not allow credentials such as cookies,
 * because a page sends its API key in `Authorization`.
 */
const corsHeaders = (origins: ReadonlyArray<string>, origin = ''): Headers => {
  if (origins.length === 0) return {};
  if (!isAllowed(origins, origin)) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origins.includes('*') ? '*' : origin,
    'Access-Control-Expose-Headers': exposedHeaders,
  };
};

// Matches only well-formed origins, because the origin is logged.
const loggableOrigin = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]{1,255})$/i;

/**
 * Sets CORS headers. Answers preflight requests of allowed origins. Reports those of other origins, and passes them on.
 */
const cors =
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

interface Common {
  readonly reporter: Reporter;
  readonly corsOrigins?: ReadonlyArray<string>;
  readonly trustedProxies?: number;
}

/** Makes a Koa application without routes, and the function that answers failures which the HTTP server detects. */
const createApplication = (
  { reporter, corsOrigins = [], trustedProxies = 0 }: Common,
  methods: ReadonlyArray<string>,
) => {
  const app = new Koa<State>({ proxy: trustedProxies > 0 });
  // `respond` emits the cause of a 500 or 503. Koa also emits the socket error of a client that disconnects. This error
  // is not reported, because clients may disconnect at any time.
  app.on('error', (cause: unknown, context: Koa.ParameterizedContext<State>) => {
    if (cause !== context.socket.errored) reporter.error(cause, context.state.requestId ?? '');
  });

  /** Reports a failure, and makes its response. The access log reports a request that the application has received. */
  const errorResponse = (serverFailure: HttpFailure, request: RequestHead) => {
    const failure =
      serverFailure._tag === 'MethodNotAllowed' ? { ...serverFailure, allowed: methods } : serverFailure;
    const state = states.get(request);
    const requestId = state?.requestId ?? requestIdOf(request.headers);
    if (state === undefined) {
      const { status, code } = describeFailure(failure);
      const clientAddress = clientAddressOf(request, trustedProxies);
      reporter.requestRejected({ requestId, status, code, clientAddress });
    } else state.rejection = failure;
    const { status, headers, body } = failureReply(failure);
    return {
      status,
      headers: {
        'X-Request-Id': requestId,
        ...securityHeaders,
        ...corsHeaders(corsOrigins, request.headers.origin),
        ...headers,
      },
      body: body.toString(),
    };
  };

  return { app, errorResponse };
};

export type HttpApplication = ReturnType<typeof createApplication>;

interface PublicOptions extends Common {
  readonly openStore: OpenAnimalStore;
  readonly checkReadiness: CheckReadiness;
}

/** Makes the application of the public server: operations, pages and health checks. */
export const httpApplication = (options: PublicOptions): HttpApplication => {
  const { reporter, corsOrigins = [], trustedProxies = 0, openStore, checkReadiness } = options;
  const application = createApplication(options, petMethods);
  const { app } = application;
  // The access log comes first, so that it reports every request, such as a preflight request that `cors` answers.
  app.use(accessLog(reporter, trustedProxies));
  app.use(setDefaultHeaders);
  app.use(completeRequests);
  app.use(cors(corsOrigins, reporter.preflightRejected));
  addPetRoutes(app, openStore);
  addPublicRoutes(app, checkReadiness);
  return application;
};

/** Makes the application of the admin server: metrics and health checks. */
export const adminApplication = (
  reporter: Reporter,
  checkReadiness: CheckReadiness,
  readMetrics: ReadMetrics,
): HttpApplication => {
  const application = createApplication({ reporter }, ['GET', 'HEAD']);
  const { app } = application;
  app.use(setDefaultHeaders);
  app.use(completeRequests);
  addAdminRoutes(app, checkReadiness, readMetrics);
  return application;
};
