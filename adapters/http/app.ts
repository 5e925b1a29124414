import Koa from 'koa';
import { accessLog, type Reporter } from './access-log';
import { catchDefects, cors, requestId, requestIdOf, setSecurityHeaders } from './middleware';
import { type CheckReadiness, petMethods } from './operations';
import { addAdminRoutes, addPublicRoutes, type PetRoutesOptions, type ReadMetrics } from './routes';
import { serverOptions } from './server-options';

interface AdminOptions {
  readonly checkReadiness: CheckReadiness;
  readonly readMetrics: ReadMetrics;
  readonly reporter: Reporter;
}

interface Options extends PetRoutesOptions, Omit<AdminOptions, 'readMetrics'> {
  readonly corsOrigins?: ReadonlyArray<string>;
  readonly trustedProxies?: number;
  /**
   * Additional middleware, such as koa-helmet or koa-compress. Its headers replace those of the service. An error that
   * the middleware throws, also by `ctx.throw`, becomes a 500.
   */
  readonly middleware?: ReadonlyArray<Koa.Middleware>;
}

export type HttpApplication = ReturnType<typeof serverOptions> & { readonly app: Koa };

const createKoa = (reporter: Reporter, trustedProxies = 0): Koa => {
  const app = new Koa({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  // `fail` of errors.ts emits the cause of each 500 and 503. Koa itself also emits the socket error of a client that
  // has disconnected, which needs no report.
  app.on('error', (cause: Error, context: Koa.Context) => {
    if (cause !== context.socket.errored) reporter.error(cause, requestIdOf(context.req));
  });
  return app;
};

/**
 * Creates the Koa application of the public server; `adminApplication` creates that of the admin server.
 * app/serve/serve.ts calls them at startup, the second only if ADMIN_PORT is set.
 */
export const httpApplication = (options: Options): HttpApplication => {
  const { reporter, corsOrigins = [], trustedProxies = 0, middleware = [] } = options;
  const app = createKoa(reporter, trustedProxies);
  app.use(requestId);
  // The access log comes before `catchDefects`, so that it also reports the 500 of an exception.
  app.use(accessLog(reporter, trustedProxies));
  app.use(catchDefects);
  app.use(setSecurityHeaders);
  if (corsOrigins.length > 0) app.use(cors(corsOrigins));
  for (const added of middleware) app.use(added);
  addPublicRoutes(app, options);
  return { app, ...serverOptions({ reporter, corsOrigins, trustedProxies, methods: petMethods }) };
};

export const adminApplication = ({
  checkReadiness,
  readMetrics,
  reporter,
}: AdminOptions): HttpApplication => {
  const app = createKoa(reporter);
  app.use(requestId);
  app.use(catchDefects);
  app.use(setSecurityHeaders);
  addAdminRoutes(app, checkReadiness, readMetrics);
  const methods = ['GET', 'HEAD'];
  return { app, ...serverOptions({ reporter, corsOrigins: [], trustedProxies: 0, methods }) };
};
