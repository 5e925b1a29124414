import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import type { ConsumeQuota, Deadline, OpenAnimalStore } from '../../core';
import type { PetMiddleware, PetState, ServerFunctions } from './context';
import { authenticate, catchDefects, quota } from './middleware';
import { petOperations } from './operations';
import { createRoutes, refuseUnmatched } from './routing';

/** Functions of `animal-store/http-server`. */
export interface HttpServerFunctions {
  readonly deadlineOf: (request: IncomingMessage) => Deadline | undefined;
}

export const maxResponseMs = 4_000;

/** Returns a function for the deadline of a request of any `http.Server`: 4 s after its arrival or a late body's end. */
const hostDeadlines = (): ServerFunctions['deadlineOf'] => {
  const deadlines = new WeakMap<IncomingMessage, Deadline>();
  return (request) => {
    const restart = (): Deadline => {
      const deadline = performance.now() + maxResponseMs;
      deadlines.set(request, deadline);
      return deadline;
    };
    const known = deadlines.get(request);
    if (known !== undefined) return known;
    if (!request.complete) request.once('end', restart);
    return restart();
  };
};

const serverFunctions = (server?: HttpServerFunctions): ServerFunctions => {
  const hostDeadlineOf = hostDeadlines();
  if (server === undefined) return { deadlineOf: hostDeadlineOf };
  return { deadlineOf: (request) => server.deadlineOf(request) ?? hostDeadlineOf(request) };
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
