import Koa from 'koa';
import { accessLog, type Reporter } from './access-log';
import { catchDefects, cors, requestId, requestIdOf, setSecurityHeaders } from './middleware';
import { type CheckReadiness, petMethods } from './operations';
import { petRoutes, type PetRoutesOptions } from './pet-routes';
import { refuseUnmatched } from './routing';
import { type HttpApplication, serverAnswers } from './server-answers';
import { adminRoutes, publicRoutes, type ReadMetrics } from './service-routes';

interface AdminOptions {
  readonly checkReadiness: CheckReadiness;
  readonly readMetrics: ReadMetrics;
  readonly reporter: Reporter;
}

interface Options extends PetRoutesOptions, Omit<AdminOptions, 'readMetrics'> {
  /** Origins whose pages may call the service, `*` for any. Without one, CORS is off. */
  readonly corsOrigins?: ReadonlyArray<string>;
  readonly trustedProxies?: number;
  /**
   * More middleware, such as koa-helmet or koa-compress. Its headers replace those of the service. An error that it throws,
   * also by `ctx.throw`, becomes a 500.
   */
  readonly middleware?: ReadonlyArray<Koa.Middleware>;
}

const createKoa = (reporter: Reporter, trustedProxies = 0): Koa => {
  const app = new Koa({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  app.on('error', (cause: Error, context: Koa.Context) => {
    // Koa also emits the socket error of a client that has left.
    if (cause !== context.socket.errored) reporter.error(cause, requestIdOf(context.req));
  });
  return app;
};

/** Makes the application for clients. A request passes through the middleware below in order. */
export const httpApplication = (options: Options): HttpApplication => {
  const { reporter, corsOrigins = [], trustedProxies = 0, middleware = [] } = options;
  const arrivedAt = options.server?.arrivedAt;
  const pets = petRoutes(options);
  const others = publicRoutes(options.checkReadiness);

  const app = createKoa(reporter, trustedProxies);
  app.use(requestId);
  app.use(accessLog(reporter, { trustedProxies, arrivedAt }));
  app.use(catchDefects);
  app.use(setSecurityHeaders);
  if (corsOrigins.length > 0) app.use(cors(corsOrigins));
  for (const added of middleware) app.use(added);
  // Under /v1 a request is authenticated and counted, also for an unknown path, before its handler runs.
  app.use(pets.routes.serve);
  app.use(pets.unmatched);
  app.use(others.serve);
  app.use(refuseUnmatched(others, (path) => pets.routes.templateAt(`/v1${path}`)));
  const { routeOf } = pets.routes;
  const methods = petMethods;
  return { app, ...serverAnswers({ reporter, corsOrigins, trustedProxies, methods, routeOf, arrivedAt }) };
};

/** Makes the application for the operator: health and metrics, without a key, on a port that clients cannot reach. */
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
  return { app, ...serverAnswers({ reporter, corsOrigins: [], trustedProxies: 0, methods, routeOf }) };
};
