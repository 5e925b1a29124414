import * as E from 'fp-ts/Either';
import Koa from 'koa';
import type { OpenAnimalStore } from '../../core';
import { cors, corsHeaders } from './cors';
import { describeFailure, type HttpFailure } from './errors';
import { clientAddressOf, type RequestHead } from './forwarded';
import { closeAfter } from './keep-alive';
import { petMethods } from './pet-operations';
import type { Reporter } from './reporter';
import { findRecord, recordOf, requestIdOf } from './request-record';
import { failureReply } from './reply';
import { drainBody } from './request-body';
import { addPetRoutes, type Context, type Middleware, respond } from './routes';
import { addAdminRoutes, addPublicRoutes, type CheckReadiness, type ReadMetrics } from './service-routes';

interface Common {
  readonly reporter: Reporter;
  readonly corsOrigins?: ReadonlyArray<string>;
  readonly trustedProxies?: number;
}

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
  app.use(completeRequests);
  app.use(cors(corsOrigins, reporter.preflightRejected));
  addPetRoutes(app, openStore);
  addPublicRoutes(app, checkReadiness, trustedProxies);
  return application;
};

const clientClosedRequest = 499;

const maxPathLength = 1_000;

/** Reports each request when its response has ended, or its client has left. */
const accessLog =
  (reporter: Reporter, trustedProxies: number): Middleware =>
  (context, next) => {
    const { req: request, res: response, path } = context;
    const record = recordOf(context);
    // Read the address now, because a closed socket no longer has it.
    const clientAddress = clientAddressOf(request, trustedProxies);
    reporter.requestStarted?.();
    response.on('close', () => {
      const { id, startedAt, route, caller, petId, outcome, rejection } = record;
      const failure = rejection ?? (outcome?._tag === 'Left' ? outcome.left : undefined);
      const description = failure && describeFailure(failure);
      const unsentStatus = rejection && description ? description.status : clientClosedRequest;
      const headers = outcome?._tag === 'Right' ? outcome.right.headers : {};
      reporter.requestEnded({
        method: request.method ?? '',
        path: path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path,
        route,
        status: response.headersSent ? response.statusCode : unsentStatus,
        code: description?.code,
        reason: description?.reason,
        milliseconds: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
        keyId: caller?.keyId ?? (failure?._tag === 'InvalidApiKey' ? failure.keyId : undefined),
        owner: caller?.ownerId,
        petId: petId?.toString(),
        clientAddress,
        requestId: id,
        unknownFields: headers['Unknown-Fields'],
      });
    });
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
  if (!context.req.complete && !(await drainBody(context.req))) closeAfter(context.res);
};

/** Makes the application of the admin server: metrics and health checks. */
export const adminApplication = (
  reporter: Reporter,
  checkReadiness: CheckReadiness,
  readMetrics: ReadMetrics,
): HttpApplication => {
  const application = createApplication({ reporter }, ['GET', 'HEAD']);
  const { app } = application;
  app.use(completeRequests);
  addAdminRoutes(app, checkReadiness, readMetrics);
  return application;
};

/** Makes a Koa application without routes, and the function that answers failures which the HTTP server detects. */
const createApplication = (
  { reporter, corsOrigins = [], trustedProxies = 0 }: Common,
  methods: ReadonlyArray<string>,
) => {
  const app = new Koa();
  // `respond` emits the cause of a 500 or 503. Koa also emits the socket error of a client that disconnects. This error
  // is not reported, because clients may disconnect at any time.
  app.on('error', (cause: unknown, context: Context) => {
    if (cause !== context.socket.errored) reporter.error(cause, recordOf(context).id);
  });

  /**
   * Makes the response to a failure, and reports the failure. If the application has received the request, only notes
   * the failure for the access log.
   */
  const errorResponse = (serverFailure: HttpFailure, request: RequestHead) => {
    // The server does not know which methods the application has.
    const failure =
      serverFailure._tag === 'MethodNotAllowed' ? { ...serverFailure, allowed: methods } : serverFailure;
    const record = findRecord(request);
    const requestId = record?.id ?? requestIdOf(request.headers['x-request-id']);
    if (record === undefined) {
      const { status, code } = describeFailure(failure);
      const clientAddress = clientAddressOf(request, trustedProxies);
      reporter.requestRejected({ requestId, status, code, clientAddress });
    } else record.rejection = failure;
    const { status, headers, body } = failureReply(failure);
    return {
      status,
      headers: {
        'X-Request-Id': requestId,
        ...corsHeaders(corsOrigins, request.headers.origin),
        ...headers,
      },
      body: String(body),
    };
  };

  return { app, errorResponse };
};

export type HttpApplication = ReturnType<typeof createApplication>;
