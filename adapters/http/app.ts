import Koa from 'koa';
import { accessLog, recordRejection, type Reporter } from './access-log';
import { jsonType } from './context';
import { describeFailure, errorBody, type HttpFailure, recordedFailures, type RequestHead } from './errors';
import {
  catchDefects,
  cors,
  corsHeaders,
  requestIdOf,
  securityHeaders,
  setDefaultHeaders,
} from './middleware';
import { petMethods } from './operations';
import {
  addAdminRoutes,
  addPublicRoutes,
  type CheckReadiness,
  type PetRoutesOptions,
  type ReadMetrics,
} from './routes';

interface Common {
  readonly reporter: Reporter;
  readonly corsOrigins?: ReadonlyArray<string>;
  readonly trustedProxies?: number;
}

/** Makes an application without routes, and callbacks that app/serve/serve.ts passes to `startHttpServer`. */
const createApplication = (
  { reporter, corsOrigins = [], trustedProxies = 0 }: Common,
  methods: ReadonlyArray<string>,
) => {
  const app = new Koa({ proxy: trustedProxies > 0 });
  // `fail` of errors.ts emits the cause of each 500 and 503. Koa itself also emits the socket error of a client that
  // has disconnected, which needs no report.
  app.on('error', (cause: unknown, context: Koa.Context) => {
    if (cause !== context.socket.errored) reporter.error(cause, requestIdOf(context.req));
  });
  app.use(setDefaultHeaders);

  const errorResponse = (serverFailure: HttpFailure, request: RequestHead) => {
    const failure =
      serverFailure._tag === 'MethodNotAllowed' ? { ...serverFailure, allowed: methods } : serverFailure;
    recordedFailures.set(request, { failure, isFromServer: true });
    const requestId = requestIdOf(request);
    if ('cause' in failure) reporter.error(failure.cause, requestId);
    const description = describeFailure(failure);
    const headers = {
      'X-Request-Id': requestId,
      ...securityHeaders,
      ...corsHeaders(corsOrigins, request.headers.origin),
      ...description.headers,
      'Content-Type': jsonType,
    };
    return { status: description.status, headers, body: JSON.stringify(errorBody(description)) };
  };

  const onRejected = (request: RequestHead, status: number): void => {
    reporter.requestRejected(recordRejection(request, status, trustedProxies));
  };

  return { app, errorResponse, onRejected };
};

export type HttpApplication = ReturnType<typeof createApplication>;

/**
 * Creates the Koa application of the public server; `adminApplication` creates that of the admin server.
 * app/serve/serve.ts calls them at startup, the second only if ADMIN_PORT is set.
 */
export const httpApplication = (
  options: Common & PetRoutesOptions & { readonly checkReadiness: CheckReadiness },
): HttpApplication => {
  const { reporter, corsOrigins = [], trustedProxies = 0 } = options;
  const application = createApplication(options, petMethods);
  const { app } = application;
  // The access log comes before `catchDefects`, so that it also reports the 500 of an exception.
  app.use(accessLog(reporter, trustedProxies));
  app.use(catchDefects);
  if (corsOrigins.length > 0) app.use(cors(corsOrigins));
  addPublicRoutes(app, options);
  return application;
};

export const adminApplication = (
  reporter: Reporter,
  checkReadiness: CheckReadiness,
  readMetrics: ReadMetrics,
): HttpApplication => {
  const application = createApplication({ reporter }, ['GET', 'HEAD']);
  application.app.use(catchDefects);
  addAdminRoutes(application.app, checkReadiness, readMetrics);
  return application;
};
