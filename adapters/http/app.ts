import Koa from 'koa';
import { accessLog, type Reporter } from './access-log';
import { catchDefects, cors, requestId, requestIdOf, setSecurityHeaders } from './middleware';
import { type CheckReadiness, petMethods } from './operations';
import { createPetRoutes, type PetRoutesOptions } from './pet-routes';
import { refuseUnmatched } from './routing';
import { serverOptions } from './server-options';
import { adminRoutes, publicRoutes, type ReadMetrics } from './service-routes';

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
  const { petRoutes, refuseUnmatchedPets } = createPetRoutes(options);
  const serviceRoutes = publicRoutes(options.checkReadiness);

  const app = createKoa(reporter, trustedProxies);
  app.use(requestId);
  // The access log comes before `catchDefects`, so that it also reports the 500 of an exception.
  app.use(accessLog(reporter, trustedProxies));
  app.use(catchDefects);
  app.use(setSecurityHeaders);
  if (corsOrigins.length > 0) app.use(cors(corsOrigins));
  for (const added of middleware) app.use(added);
  // Under /v1, `petRoutes` and `refuseUnmatchedPets` both check the API key and count the request for the rate limit.
  // `refuseUnmatchedPets` runs only if no pet route matches, and then answers 404 or 405. Both let requests for other
  // paths pass.
  app.use(petRoutes.serve);
  app.use(refuseUnmatchedPets);
  app.use(serviceRoutes.serve);
  app.use(refuseUnmatched(serviceRoutes, (path) => petRoutes.templateAt(`/v1${path}`)));
  const { routeOf } = petRoutes;
  const methods = petMethods;
  return { app, ...serverOptions({ reporter, corsOrigins, trustedProxies, methods, routeOf }) };
};

export const adminApplication = ({
  checkReadiness,
  readMetrics,
  reporter,
}: AdminOptions): HttpApplication => {
  const routes = adminRoutes(checkReadiness, readMetrics);
  const app = createKoa(reporter);
  app.use(requestId);
  app.use(catchDefects);
  app.use(setSecurityHeaders);
  app.use(routes.serve);
  app.use(refuseUnmatched(routes));
  const { routeOf } = routes;
  const methods = ['GET', 'HEAD'];
  return { app, ...serverOptions({ reporter, corsOrigins: [], trustedProxies: 0, methods, routeOf }) };
};
