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
import {
  addAdminRoutes,
  addPublicRoutes,
  type CheckReadiness,
  type PetRoutesOptions,
  type ReadMetrics,
} from './routes';

interface AdminOptions {
  readonly checkReadiness: CheckReadiness;
  readonly readMetrics: ReadMetrics;
  readonly reporter: Reporter;
}

interface Options extends PetRoutesOptions, Omit<AdminOptions, 'readMetrics'> {
  readonly corsOrigins?: ReadonlyArray<string>;
  readonly trustedProxies?: number;
}

/** Returns callbacks for the HTTP server. app/serve/serve.ts passes them to `startHttpServer`. */
const serverOptions = ({
  reporter,
  corsOrigins = [],
  trustedProxies = 0,
}: Pick<Options, 'reporter' | 'corsOrigins' | 'trustedProxies'>) => {
  const errorResponse = (failure: HttpFailure, request: RequestHead) => {
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

  return { errorResponse, onRejected };
};

export type HttpApplication = ReturnType<typeof serverOptions> & { readonly app: Koa };

const createKoa = (reporter: Reporter, trustedProxies = 0): Koa => {
  const app = new Koa({ proxy: trustedProxies > 0 });
  // `fail` of errors.ts emits the cause of each 500 and 503. Koa itself also emits the socket error of a client that
  // has disconnected, which needs no report.
  app.on('error', (cause: unknown, context: Koa.Context) => {
    if (cause !== context.socket.errored) reporter.error(cause, requestIdOf(context.req));
  });
  return app;
};

/**
 * Creates the Koa application of the public server; `adminApplication` creates that of the admin server.
 * app/serve/serve.ts calls them at startup, the second only if ADMIN_PORT is set.
 */
export const httpApplication = (options: Options): HttpApplication => {
  const { reporter, corsOrigins = [], trustedProxies = 0 } = options;
  const app = createKoa(reporter, trustedProxies);
  app.use(setDefaultHeaders);
  // The access log comes before `catchDefects`, so that it also reports the 500 of an exception.
  app.use(accessLog(reporter, trustedProxies));
  app.use(catchDefects);
  if (corsOrigins.length > 0) app.use(cors(corsOrigins));
  addPublicRoutes(app, options);
  return { app, ...serverOptions(options) };
};

export const adminApplication = ({
  checkReadiness,
  readMetrics,
  reporter,
}: AdminOptions): HttpApplication => {
  const app = createKoa(reporter);
  app.use(setDefaultHeaders);
  app.use(catchDefects);
  addAdminRoutes(app, checkReadiness, readMetrics);
  return { app, ...serverOptions({ reporter }) };
};
