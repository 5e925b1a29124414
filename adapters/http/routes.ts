import Router from '@koa/router';
import * as E from 'fp-ts/Either';
import type Koa from 'koa';
import type { Caller, OpenAnimalStore } from '../../core';
import type { HttpFailure } from './errors';
import { failureReply, type Handle, newPetRequest, type Reply } from './messages';
import { answer, operationsHint, petOperations, type StoreAccess } from './pet-operations';
import { hasBody, readBody } from './request';

/** State of a request in Koa. The access log reads it after the response. */
export interface State {
  requestId?: string;
  /** Path of the route, such as `/v1/pets/:petId`. */
  route?: string;
  caller?: Caller;
  failure?: HttpFailure;
  /** Failure that the HTTP server itself has answered, because the body is malformed or late. */
  rejection?: HttpFailure;
  /** Id of the animal that a create added, or returned again to a retry. */
  createdId?: bigint | undefined;
}

export type Context = Koa.ParameterizedContext<State>;
export type Middleware = Koa.Middleware<State>;

/** Writes the reply. On a failure, writes an error reply, and emits any cause as the application's `error` event. */
export const respond = (context: Context, outcome: E.Either<HttpFailure, Reply>): void => {
  const { app, state } = context;
  if (E.isLeft(outcome)) {
    state.failure = outcome.left;
    if ('cause' in outcome.left) app.emit('error', outcome.left.cause, context);
  }
  const { status, headers, body, createdId } = E.isLeft(outcome) ? failureReply(outcome.left) : outcome.right;
  state.createdId = createdId;
  context.status = status;
  context.set(headers);
  if (headers['ETag'] !== undefined && context.fresh) context.status = 304;
  else context.body = body;
};

/** Makes a router that distinguishes `/v1/pets` from `/V1/pets` and `/v1/pets/`. */
export const exactRouter = (): Router<State> => new Router<State>({ sensitive: true, strict: true });

/** Returns MethodNotAllowed if the path has routes for other methods, otherwise RouteNotFound. */
export const unmatched = (router: Router<State>, path: string, hint = operationsHint): HttpFailure => {
  const allowed = router.match(path, '').path.flatMap(({ methods }) => methods);
  return allowed.length > 0
    ? { _tag: 'MethodNotAllowed', allowed: allowed.sort() }
    : { _tag: 'RouteNotFound', hint };
};

/** Checks the API key and the rate limit, calls the handler, and writes the reply. */
const serveOperation = async (
  context: Context,
  access: StoreAccess<Context>,
  handle: Handle,
  petId = '',
): Promise<void> => {
  const { req, request, querystring: query, state } = context;
  const rawBody = 'rawBody' in request ? request.rawBody : undefined;
  const petRequest = newPetRequest(
    {
      petId,
      query,
      header: (name) => req.headers[name]?.toString(),
      hasBody: hasBody(req),
      readBody: () => readBody(req, rawBody),
    },
    () => !req.complete,
  );
  const { outcome, headers } = await answer(access, context, petRequest, handle, state);
  context.set(headers);
  respond(context, outcome);
};

const petRouter = (access: StoreAccess<Context>): Router<State> => {
  const router = exactRouter();
  for (const { method, path, headers = {}, handle } of Object.values(petOperations)) {
    router.register(path, [method], (context) => {
      // Set the route and its headers first, so that failed requests have them, too.
      context.state.route = path;
      context.set(headers);
      return serveOperation(context, access, handle, context.params['petId']);
    });
  }
  return router;
};

/** Adds the routes of the operations. Other requests under `/v1` also need a valid key, and then get a 404 or 405. */
export const addPetRoutes = (app: Koa, openStore: OpenAnimalStore): void => {
  const router = petRouter({ openStore });
  app.use(router.routes());
  app.use((context, next) => {
    if (!/^\/v1(?:\/|$)/.test(context.path)) return next();
    return serveOperation(context, { openStore }, () =>
      Promise.resolve(E.left(unmatched(router, context.path))),
    );
  });
};

/** Options of `mountPetRoutes`. */
export interface MountOptions extends Pick<StoreAccess<Context>, 'authenticateRequest'> {}

/**
 * Adds the routes of the operations under `/v1` to the Koa application of an embedding program. A request is
 * authenticated before its body is read, unless a body parser comes first. Such a parser must leave the body in
 * `context.request.rawBody`. After authentication, `context.state.caller` is the Caller. To type it, create the
 * application as `new Koa<{ caller?: Caller }>()`. For CORS, expose Link, Location, Retry-After, Idempotent-Replayed,
 * Deprecation, Sunset and Unknown-Fields, and with a quota also RateLimit and RateLimit-Policy. An error response has a
 * body of the OpenAPI schema `Error`. The cause of a 500 or 503 is emitted as the application's `error` event.
 */
export const mountPetRoutes = (
  app: Pick<Koa, 'use'>,
  openStore: OpenAnimalStore,
  { authenticateRequest }: MountOptions = {},
): void => {
  app.use(petRouter({ openStore, authenticateRequest }).routes());
};
