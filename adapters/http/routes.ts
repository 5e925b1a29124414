import Router, { type RouterContext } from '@koa/router';
import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type Koa from 'koa';
import type { OpenAnimalStore } from '../../core';
import {
  type Context,
  jsonType,
  type Middleware,
  type PetState,
  type Route,
  type State,
  succeed,
} from './context';
import { fail, type NotReady } from './errors';
import { authenticate, catchDefects } from './middleware';
import { openApiDocument } from './openapi';
import { petOperations } from './operations';
import { docsPages, sendTextByOrigin } from './pages';

type ServedRoute<S> = readonly [route: Route, serve: (context: RouterContext<S>) => unknown];

const createRouter = <S extends State>(
  routes: ReadonlyArray<ServedRoute<S>>,
  ...middleware: ReadonlyArray<Middleware>
): Router<S> => {
  const router = new Router<S>({ sensitive: true, strict: true });
  for (const added of middleware) router.use(added);
  for (const [route, serve] of routes) {
    router.register(route.path, [route.method], (context) => {
      // Set the route first, so that error responses and the access log also have it.
      context.state.route = route;
      if (route.headers !== undefined) context.set(route.headers);
      return serve(context);
    });
  }
  return router;
};

/** Answers 405 if another method has a route at the path, otherwise 404. */
const refuseUnmatched =
  <S extends State>(router: Router<S>) =>
  (context: Context): void => {
    const allowed = router.match(context.path, '').path.flatMap(({ methods }) => methods);
    if (allowed.length > 0) fail(context, { _tag: 'MethodNotAllowed', allowed: allowed.sort() });
    else fail(context, { _tag: 'RouteNotFound' });
  };

export interface PetRoutesOptions {
  readonly openStore: OpenAnimalStore;
}

type Guard = <C extends Koa.ParameterizedContext<PetState>>(
  handle: (context: C) => unknown,
) => (context: C) => unknown;

/** Makes a function that runs a handler only for callers with a valid key, and within their rate limit. */
const guardWith = ({ openStore }: PetRoutesOptions): Guard => {
  const authenticateCaller = authenticate(openStore);
  return (handle) => (context) => authenticateCaller(context, () => handle(context));
};

const petRoutes = (guard: Guard): ReadonlyArray<ServedRoute<PetState>> =>
  petOperations.map((operation) => [operation, guard(operation.handle)]);

const underV1 =
  (middleware: (context: Koa.ParameterizedContext<PetState>) => unknown): Koa.Middleware<PetState> =>
  (context, next): unknown =>
    /^\/v1(?:\/|$)/.test(context.path) ? middleware(context) : next();

/**
 * Adds the routes of the public server, for app.ts. Under `/v1`, every request needs a valid key, even for a path that
 * does not exist.
 */
export const addPublicRoutes = (
  app: Koa,
  options: PetRoutesOptions & { readonly checkReadiness: CheckReadiness },
): void => {
  const guard = guardWith(options);
  const pets = createRouter(petRoutes(guard));
  const others = createRouter<State>([
    ...healthRoutes(options.checkReadiness),
    getRoute('/openapi.json', sendDocument),
    ...docsPages().map(([path, handle]) => getRoute(path, handle)),
  ]);
  app.use(pets.routes());
  app.use(underV1(guard(refuseUnmatched(pets))));
  app.use(others.routes());
  app.use(refuseUnmatched(others));
};

/**
 * Adds the routes of the operations under `/v1` to the Koa application of an embedding program. A request is
 * authenticated before its body is read, unless a body parser comes first. Such a parser must leave the body in
 * `context.request.rawBody`. After authentication, `context.state.caller` has the Caller;
 * `new Koa<{ caller?: Caller }>()` gives it a type. With CORS, expose Link, Location, Retry-After, Idempotent-Replayed,
 * Deprecation, Sunset and, with a quota, RateLimit and RateLimit-Policy. A failed request gets the body of the OpenAPI
 * schema `Error`. The cause of a 500 or 503 is emitted as the application's `error` event.
 */
export const mountPetRoutes = (app: Pick<Koa, 'use'>, openStore: OpenAnimalStore): void => {
  // The router runs `catchDefects` for its own routes only. The host handles the errors of its other middleware.
  const pets = createRouter(petRoutes(guardWith({ openStore })), catchDefects);
  app.use(pets.routes());
};

const getRoute = (path: string, handle: (context: Context) => unknown): ServedRoute<State> => [
  { method: 'GET', path, successStatus: 200 },
  handle,
];

/** Paths of the health checks, whose requests are logged at level debug. */
export const healthPaths = ['/livez', '/readyz'] as const;

const healthRoutes = (checkReadiness: CheckReadiness): ReadonlyArray<ServedRoute<State>> => [
  getRoute('/livez', (context) => {
    succeed(context, '{"status":"live"}');
  }),
  getRoute('/readyz', async (context) => {
    const ready = await checkReadiness();
    if (E.isLeft(ready)) fail(context, ready.left);
    else succeed(context, '{"status":"ready"}');
  }),
];

/** Serves the document with the absolute address of the server, because code generators ignore a relative address. */
const sendDocument = sendTextByOrigin((origin) => {
  const servers = origin === '' ? openApiDocument.servers : [{ url: `${origin}/v1` }];
  return { body: JSON.stringify({ ...openApiDocument, servers }), contentType: jsonType };
});

export type CheckReadiness = TaskEither<NotReady, void>;

export type ReadMetrics = () => Promise<string>;

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Adds the routes of the admin server, for app.ts. They need no key. */
export const addAdminRoutes = (app: Koa, checkReadiness: CheckReadiness, readMetrics: ReadMetrics): void => {
  const router = createRouter<State>([
    ...healthRoutes(checkReadiness),
    getRoute('/metrics', async (context) => {
      context.body = await readMetrics();
      context.set('Content-Type', metricsType);
    }),
  ]);
  app.use(router.routes());
  app.use(refuseUnmatched(router));
};
