import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import getRawBody from 'raw-body';
import type { ConsumeQuota, OpenAnimalStore } from '../../core';
import { serverTimeouts } from '../../core/timeouts';
import type { PetMiddleware, PetState, ServerFunctions } from './context';
import { authenticate, catchDefects, quota } from './middleware';
import { petOperations } from './operations';
import { createRoutes, refuseUnmatched } from './routing';

export interface HttpServerFunctions {
  readonly arrivedAt: (request: IncomingMessage) => number | undefined;
  readonly deadlineOf: (request: IncomingMessage) => number | undefined;
  readonly readBody: ServerFunctions['readBody'];
}

const hostServerFunctions = (): ServerFunctions => {
  const deadlines = new WeakMap<IncomingMessage, number>();
  const deadlineOf = (request: IncomingMessage): number => {
    const deadline = deadlines.get(request) ?? performance.now() + serverTimeouts.responseMs;
    deadlines.set(request, deadline);
    return deadline;
  };
  return {
    deadlineOf,
    readBody: async (request, maxBytes) => {
      const deadline = deadlineOf(request);
      const began = performance.now();
      const length = request.headers['content-length'] ?? null;
      const body = await getRawBody(request, { limit: maxBytes, length });
      deadlines.set(request, deadline + performance.now() - began);
      return body;
    },
  };
};

const serverFunctions = (server?: HttpServerFunctions): ServerFunctions => {
  const host = hostServerFunctions();
  if (server === undefined) return host;
  const { deadlineOf, readBody } = server;
  return { deadlineOf: (request) => deadlineOf(request) ?? host.deadlineOf(request), readBody };
};

export interface PetRoutesOptions {
  readonly openStore: OpenAnimalStore;
  readonly consumeQuota?: ConsumeQuota | undefined;
  readonly server?: HttpServerFunctions;
}

const underV1 =
  (middleware: Koa.Middleware<PetState>): Koa.Middleware<PetState> =>
  (context, next): unknown => {
    const { path } = context;
    return path === '/v1' || path.startsWith('/v1/') ? middleware(context, next) : next();
  };

/** Creates the routes under `/v1` for `httpApplication` of app.ts, and for `mountPetRoutes`. */
export const createPetRoutes = ({ openStore, consumeQuota, server }: PetRoutesOptions) => {
  const functions = serverFunctions(server);
  const authenticateCaller = authenticate(openStore, functions);
  const consumeRequestQuota: PetMiddleware =
    consumeQuota === undefined ? (_context, next) => next() : quota(consumeQuota, functions);

  const guard =
    <C extends Koa.ParameterizedContext<PetState>>(handle: (context: C) => unknown) =>
    (context: C): unknown =>
      authenticateCaller(context, () => consumeRequestQuota(context, () => handle(context)));

  const petRoutes = createRoutes<PetState>(
    petOperations.map((operation) => [operation, guard((context) => operation.handle(context, functions))]),
  );
  return { petRoutes, refuseUnmatchedPets: underV1(guard(refuseUnmatched(petRoutes))) };
};

/**
 * Adds the routes under `/v1` to the Koa application of an embedding program. Mount them before any middleware that
 * reads bodies, because a request is authenticated before its body is read. After authentication,
 * `context.state.caller` has the Caller; `new Koa<{ caller?: Caller }>()` gives it a type. With CORS, expose Link,
 * Location, Retry-After, Idempotent-Replayed, Deprecation, Sunset and, with a quota, RateLimit and RateLimit-Policy. A
 * failed request gets the body of the OpenAPI schema `Error`. The cause of a 500 or 503 is emitted as the application's
 * `error` event.
 */
export const mountPetRoutes = (
  app: Pick<Koa, 'use'>,
  openStore: OpenAnimalStore,
  { consumeQuota }: { readonly consumeQuota?: ConsumeQuota } = {},
): void => {
  const { petRoutes, refuseUnmatchedPets } = createPetRoutes({ openStore, consumeQuota });
  app.use(underV1(catchDefects));
  app.use(petRoutes.serve);
  app.use(refuseUnmatchedPets);
};
