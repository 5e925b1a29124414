import Router, { type RouterContext } from '@koa/router';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type Koa from 'koa';
import type { OpenAnimalStore } from '../../core';
import { type AuthenticateRequest, callerAndQuotaOf, quotaHeaders, readApiKey } from './authentication';
import { hasBody, readBody } from './body';
import type { HttpFailure, NotReady } from './errors';
import type { Handle, PetRequest } from './handlers/request';
import { documentReply } from './openapi';
import { operationsHint, type PetOperation, petOperations } from './operations';
import { pages } from './pages';
import { type Headers, jsonReply, maxResponseMs, type Reply, respond } from './reply';
import type { Context, State } from './state';

interface Route {
  readonly method: PetOperation['method'];
  readonly path: string;
  readonly headers?: Headers | undefined;
  readonly serve: (context: RouterContext<State>) => Promise<void>;
}

const createRouter = (routes: ReadonlyArray<Route>): Router<State> => {
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const { method, path, headers = {}, serve } of routes) {
    router.register(path, [method], (context) => {
      // Set the route first, so that error responses and the access log also have it.
      context.state.route = path;
      context.set(headers);
      return serve(context);
    });
  }
  return router;
};

/** Returns the failure of a path without a route, or without a route for the method. */
const unmatched = (router: Router<State>, path: string, hint = operationsHint): HttpFailure => {
  const allowed = router.match(path, '').path.flatMap(({ methods }) => methods);
  return allowed.length > 0
    ? { _tag: 'MethodNotAllowed', allowed: allowed.sort() }
    : { _tag: 'RouteNotFound', hint };
};

const toRequest = ({ req, request, querystring, state }: Context, petId: string): PetRequest => {
  let deadline = performance.now() + maxResponseMs;
  const header = (name: string) => req.headers[name]?.toString();
  return {
    petId,
    query: querystring,
    header,
    hasBody: hasBody(req),
    readBody: async () => {
      state.readsBody = true;
      const isLate = !req.complete;
      const body = await readBody(req, 'rawBody' in request ? request.rawBody : undefined);
      if (isLate) deadline = performance.now() + maxResponseMs;
      return body;
    },
    deadline: () => deadline,
  };
};

/** Makes a function that serves an operation to callers with a valid key, and within their rate limit. */
const serveCallers =
  (openStore: OpenAnimalStore, authenticateRequest?: AuthenticateRequest<Context>) =>
  (handle: Handle) =>
  (context: Context, petId = ''): Promise<void> => {
    const request = toRequest(context, petId);
    return respond(context, async () => {
      const key = await readApiKey(context, request.header('authorization'), authenticateRequest);
      if (E.isLeft(key)) return key;
      const store = await openStore(key.right, request.deadline())();
      const { caller, quota } = callerAndQuotaOf(store) ?? {};
      if (caller !== undefined) context.state.caller = caller;
      context.set(quotaHeaders(quota));
      return E.isLeft(store) ? store : handle(store.right, request);
    });
  };

type Serve = ReturnType<typeof serveCallers>;

const petRouter = (serve: Serve): Router<State> =>
  createRouter(
    Object.values(petOperations).map(({ method, path, headers, handle }) => {
      const serveOperation = serve(handle);
      return { method, path, headers, serve: (context) => serveOperation(context, context.params['petId']) };
    }),
  );

// Matches only texts without special characters of HTML or of a replacement string.
const plainOrigin = /^https?:\/\/[\w.:[\]-]+$/;
const plainPrefix = /^(?:\/[\w.~-]+)+$/;

/**
 * Returns the address that the client has used for the service, with the path prefix that a trusted proxy has removed.
 * Returns an empty text if the Host header is invalid.
 */
const addressOf = ({ app, host, request, URL: { origin } }: Context): string => {
  if (host === '' || !plainOrigin.test(origin)) return '';
  const prefix = app.proxy ? request.get('X-Forwarded-Prefix') : '';
  return plainPrefix.test(prefix) ? origin + prefix : origin;
};

export type CheckReadiness = TE.TaskEither<NotReady, void>;

export interface PublicRoutesOptions {
  readonly openStore: OpenAnimalStore;
  readonly checkReadiness: CheckReadiness;
}

/** Adds the routes of the public server. Under `/v1`, every request needs a valid key, even for an unknown path. */
export const addPublicRoutes = (app: Koa, { openStore, checkReadiness }: PublicRoutesOptions): void => {
  const serve = serveCallers(openStore);
  const pets = petRouter(serve);
  const others = createRouter([
    ...healthRoutes(checkReadiness),
    ...[['/openapi.json', documentReply] as const, ...pages()].map(([path, reply]) =>
      getRoute(path, (context) => {
        context.vary('Accept-Encoding');
        return TE.right(reply(addressOf(context), (coding) => context.acceptsEncodings(coding) === coding));
      }),
    ),
  ]);
  app.use(pets.routes());
  app.use((context, next) =>
    /^\/v1(?:\/|$)/.test(context.path)
      ? serve(() => Promise.resolve(E.left(unmatched(pets, context.path))))(context)
      : next(),
  );
  app.use(others.routes());
  app.use((context) => respond(context, TE.left(unmatched(others, context.path))));
};

/** Options of `mountPetRoutes`. */
export interface MountOptions {
  /** Returns the API key of a request, such as the key in its session. The default is the key in `Authorization`. */
  readonly authenticateRequest?: AuthenticateRequest<Context> | undefined;
}

/**
 * Adds the routes of the operations under `/v1` to the Koa application of an embedding program. A request is
 * authenticated before its body is read, unless a body parser comes first. Such a parser must leave the body in
 * `context.request.rawBody`. After authentication, `context.state.caller` has the Caller;
 * `new Koa<{ caller?: Caller }>()` gives it a type. With CORS, expose Link, Location, Retry-After, Idempotent-Replayed,
 * Deprecation, Sunset, Unknown-Fields and, with a quota, RateLimit and RateLimit-Policy. A failed request gets a body
 * of the OpenAPI schema `Error`. The cause of a 500 or 503 is emitted as the application's `error` event.
 */
export const mountPetRoutes = (
  app: Pick<Koa, 'use'>,
  openStore: OpenAnimalStore,
  { authenticateRequest }: MountOptions = {},
): void => {
  app.use(petRouter(serveCallers(openStore, authenticateRequest)).routes());
};

const getRoute = (path: string, handle: (context: Context) => TE.TaskEither<HttpFailure, Reply>): Route => ({
  method: 'GET',
  path,
  serve: (context) => respond(context, handle(context)),
});

/** Paths of the health checks, whose requests are logged at level debug. */
export const healthPaths = ['/livez', '/readyz'] as const;

const healthRoutes = (checkReadiness: CheckReadiness): ReadonlyArray<Route> => [
  getRoute('/livez', () => TE.right(jsonReply(200, '{"status":"live"}'))),
  getRoute('/readyz', () =>
    pipe(
      checkReadiness,
      TE.map(() => jsonReply(200, '{"status":"ready"}')),
    ),
  ),
];

export type ReadMetrics = () => Promise<string>;

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

const adminHint = 'this server has /livez, /readyz and /metrics';

/** Adds the routes of the admin server, which need no key. */
export const addAdminRoutes = (app: Koa, checkReadiness: CheckReadiness, readMetrics: ReadMetrics): void => {
  const router = createRouter([
    ...healthRoutes(checkReadiness),
    getRoute('/metrics', () =>
      pipe(
        TE.fromTask(readMetrics),
        TE.map((body) => ({ status: 200, headers: { 'Content-Type': metricsType }, body })),
      ),
    ),
  ]);
  app.use(router.routes());
  app.use((context) => respond(context, TE.left(unmatched(router, context.path, adminHint))));
};
