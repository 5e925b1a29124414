import * as E from 'fp-ts/Either';
import Koa from 'koa';
import type { OpenAnimalStore } from '../../../core';
import { type Context, recordOf, writeOutcome } from '../koa';
import { addPetRoutes } from '../koa';
import { describeFailure } from '../operations/errors';
import { petMethods } from '../operations/pet-operations';
import { failureReply } from '../operations/reply';
import { drainBody } from '../message/request-body';
import { requestIdOf } from '../operations/request-record';
import { closeAfter } from '../server/keep-alive';
import type { RejectRequest } from '../server/rejection';
import { findRecord, reportRequests, type Reporter } from './report-requests';
import { cors, corsHeaders } from './cors';
import { clientAddressOf } from './forwarded';
import { addAdminRoutes, addPublicRoutes, type CheckReadiness, type ReadMetrics } from './service-routes';

interface ApplicationOptions {
  readonly reporter: Reporter;
  readonly corsOrigins?: ReadonlyArray<string>;
  readonly trustedProxies?: number;
}

interface PublicOptions extends ApplicationOptions {
  readonly openStore: OpenAnimalStore;
  readonly checkReadiness: CheckReadiness;
}

/** Makes the application of the public server: operations, pages and health checks. */
export const httpApplication = (options: PublicOptions): HttpApplication => {
  const { reporter, corsOrigins = [], trustedProxies = 0, openStore, checkReadiness } = options;
  const application = applicationWithoutRoutes(options, petMethods);
  const { app } = application;
  app.use(reportRequests(reporter, trustedProxies));
  app.use(cors(corsOrigins, reporter.preflightRejected));
  addPetRoutes(app, openStore);
  addPublicRoutes(app, checkReadiness, trustedProxies);
  return application;
};

/**
 * Answers 500 if a later middleware throws. Delays every response until the rest of the request's body has arrived.
 * After an early response, a proxy might stop sending the body, and the server would read the proxy's next request as
 * the body. If `drainBody` gives up, the response closes the connection.
 */
const completeRequests = async (context: Context, next: () => unknown): Promise<void> => {
  try {
    await next();
  } catch (cause) {
    writeOutcome(context, E.left({ _tag: 'Defect', cause }));
  }
  if (!context.req.complete && !(await drainBody(context.req))) closeAfter(context.res);
};

/** Makes the application of the admin server: metrics and health checks. */
export const adminApplication = (
  reporter: Reporter,
  checkReadiness: CheckReadiness,
  readMetrics: ReadMetrics,
): HttpApplication => {
  const application = applicationWithoutRoutes({ reporter }, ['GET', 'HEAD']);
  addAdminRoutes(application.app, checkReadiness, readMetrics);
  return application;
};

/** Makes a Koa application without routes, and the function that rejects requests for the HTTP server. */
const applicationWithoutRoutes = (
  { reporter, corsOrigins = [], trustedProxies = 0 }: ApplicationOptions,
  allowedMethods: ReadonlyArray<string>,
) => {
  const app = new Koa();
  // `writeReply` emits the cause of a 500 or 503. Koa also emits the socket error of a client that disconnects. This
  // error is not reported, because clients may disconnect at any time.
  app.on('error', (cause: unknown, context: Context) => {
    if (cause !== context.socket.errored) reporter.requestFailed(cause, recordOf(context).id);
  });
  app.use(completeRequests);

  /**
   * Makes the response to a request that the server rejects. Reports the rejection, or leaves that to `reportRequests`
   * if the application has received the request.
   */
  const rejectRequest: RejectRequest = (failure, request) => {
    const record = findRecord(request);
    const requestId = record?.id ?? requestIdOf(request.headers['x-request-id']);
    if (record === undefined) {
      const { status, code } = describeFailure(failure);
      const clientAddress = clientAddressOf(request, trustedProxies);
      reporter.requestRejected({ requestId, status, code, clientAddress });
    } else record.serverRejection = failure;
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

  return { app, allowedMethods, rejectRequest };
};

export type HttpApplication = ReturnType<typeof applicationWithoutRoutes>;
