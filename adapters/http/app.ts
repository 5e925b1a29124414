import Koa from 'koa';
import type { ServerResponse } from 'node:http';
import type { OpenAnimalStore } from '../../core';
import { accessLog, answeredByServer, recordRejection, type Reporter } from './access-log';
import type { HttpFailure, RequestHead } from './errors';
import { failureReply } from './messages';
import {
  completeRequests,
  cors,
  corsHeaders,
  requestIdOf,
  securityHeaders,
  setDefaultHeaders,
  type State,
} from './middleware';
import { petMethods } from './operations';
import { addPetRoutes } from './routes';
import { addAdminRoutes, addPublicRoutes, type CheckReadiness, type ReadMetrics } from './service-routes';

interface Common {
  readonly reporter: Reporter;
  readonly corsOrigins?: ReadonlyArray<string>;
  readonly trustedProxies?: number;
}

/** Makes an application without routes, and the responses to failures that the HTTP server detects. */
const createApplication = (
  { reporter, corsOrigins = [], trustedProxies = 0 }: Common,
  methods: ReadonlyArray<string>,
) => {
  const app = new Koa<State>({ proxy: trustedProxies > 0 });
  // `respond` emits the cause of each 500 and 503. Koa itself also emits the socket error of a client that
  // has disconnected, which needs no report.
  app.on('error', (cause: unknown, context: Koa.ParameterizedContext<State>) => {
    if (cause !== context.socket.errored) reporter.error(cause, context.state.requestId ?? '');
  });

  /** Makes the response to a failure. `response` is defined if the application has received the request. */
  const errorResponse = (serverFailure: HttpFailure, request: RequestHead, response?: ServerResponse) => {
    const failure =
      serverFailure._tag === 'MethodNotAllowed' ? { ...serverFailure, allowed: methods } : serverFailure;
    const sent = response?.getHeader('X-Request-Id');
    const requestId = typeof sent === 'string' ? sent : requestIdOf(request.headers);
    if ('cause' in failure) reporter.error(failure.cause, requestId);
    if (response === undefined)
      reporter.requestRejected(recordRejection(failure, request, requestId, trustedProxies));
    else response.emit(answeredByServer, failure);
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

/** Creates the Koa application of the public server. */
export const httpApplication = (options: PublicOptions): HttpApplication => {
  const { reporter, corsOrigins = [], trustedProxies = 0, openStore, checkReadiness } = options;
  const application = createApplication(options, petMethods);
  const { app } = application;
  // The access log comes before `completeRequests`, so that it also reports the 500 of an exception.
  app.use(accessLog(reporter, trustedProxies));
  app.use(setDefaultHeaders);
  app.use(completeRequests);
  app.use(cors(corsOrigins, reporter.preflightRejected));
  addPetRoutes(app, openStore);
  addPublicRoutes(app, checkReadiness);
  return application;
};

/** Creates the Koa application of the admin server. */
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
