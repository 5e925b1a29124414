import type Koa from 'koa';
import type { ParameterizedContext } from 'koa';
import type { ConsumeQuota, OpenAnimalStore } from '../../core';
import type { PetMiddleware, PetState, ServerFunctions } from './context';
import { authenticate, errors, quota } from './middleware';
import { petOperations } from './operations';
import { createRoutes, refuseUnmatched } from './routing';
import { serverFunctions } from './server-functions';

export interface PetRoutesOptions {
  readonly openStore: OpenAnimalStore;
  /** Counts the requests of each owner. Without this function, requests are not limited. */
  readonly consumeQuota?: ConsumeQuota | undefined;
  readonly server: ServerFunctions;
}

const underV1 =
  (middleware: Koa.Middleware<PetState>): Koa.Middleware<PetState> =>
  (context, next): unknown => {
    const { path } = context;
    return path === '/v1' || path.startsWith('/v1/') ? middleware(context, next) : next();
  };

/**
 * Returns the routes under /v1, which authenticate and count a request before its handler. A request without a route is also
 * authenticated and counted before its 404 or 405.
 */
export const petRoutes = ({ openStore, consumeQuota, server }: PetRoutesOptions) => {
  const authenticateCaller = authenticate(openStore, server);
  const countRequest: PetMiddleware =
    consumeQuota === undefined ? (_context, next) => next() : quota(consumeQuota, server);

  const guard =
    <C extends ParameterizedContext<PetState>>(handle: (context: C) => unknown) =>
    (context: C): unknown =>
      authenticateCaller(context, () => countRequest(context, () => handle(context)));

  const routes = createRoutes<PetState>(
    petOperations.map((operation) => [operation, guard((context) => operation.handle(context, server))]),
  );
  return { routes, unmatched: underV1(guard(refuseUnmatched(routes))) };
};

/**
 * Adds the routes under `/v1` to a host's Koa application. Mount it before any middleware that reads bodies. Each request is
 * authenticated before anything else of it is read. Failures get an Error body; the cause of a 500 or 503 is emitted as the
 * application's `error` event.
 */
export const mountPetRoutes = (
  // Accepts a Koa application of any state and context.
  app: Pick<Koa, 'use'>,
  openStore: OpenAnimalStore,
  { consumeQuota }: { readonly consumeQuota?: ConsumeQuota } = {},
): void => {
  const { routes, unmatched } = petRoutes({ openStore, consumeQuota, server: serverFunctions() });
  app.use(underV1(errors));
  app.use(routes.serve);
  app.use(unmatched);
};
