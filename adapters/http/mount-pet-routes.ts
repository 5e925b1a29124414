import Router from '@koa/router';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type Koa from 'koa';
import type { ConsumeQuota, OpenAnimalStore } from '../../core';
import { authenticateRequest } from './authenticate-request';
import { deprecated } from './deprecated';
import { handleCreatePet } from './handle-create-pet';
import { handleGetPet } from './handle-get-pet';
import { handleListPets } from './handle-list-pets';
import type { Handler } from './handler';
import { limitRequests } from './limit-requests';
import { respond } from './respond';
import { unmatched } from './unmatched';

interface Options {
  /** Counts the requests of each key; without it they are not limited. */
  readonly consumeQuota?: ConsumeQuota | undefined;
}

const isUnderV1 = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

const limited = (authenticate: ReturnType<typeof authenticateRequest>, consumeQuota: ConsumeQuota) => {
  const limit = limitRequests(consumeQuota);
  return (context: Koa.Context) =>
    pipe(
      authenticate(context),
      TE.tap((store) => limit(context, store.keyId)),
    );
};

/**
 * Puts everything under `/v1` into a Koa application: this service's, or a host's beside its own routes. Each
 * request is authenticated before anything else is asked of it; every failure ends here, as an Error body, and the
 * cause of a 500 or a 503 is emitted as the application's `error`. Mount it before anything that reads bodies.
 */
export const mountPetRoutes = (
  app: Koa,
  openStore: OpenAnimalStore,
  { consumeQuota }: Options = {},
): void => {
  const authenticate = authenticateRequest(openStore);
  const admit = consumeQuota === undefined ? authenticate : limited(authenticate, consumeQuota);
  const answer = (context: Koa.Context, handle: Handler): Promise<void> =>
    respond(
      context,
      pipe(
        admit(context),
        TE.flatMap((store) => handle(context, store)),
      ),
    );

  const router = new Router({ prefix: '/v1', sensitive: true, strict: true });
  router.get('/pets', (context) => answer(context, handleListPets));
  router.post('/pets', (context) => answer(context, handleCreatePet));
  router.get('/pets/:petId', deprecated, (context) => answer(context, handleGetPet(context.params['petId'])));

  app.use(router.routes());
  app.use(async (context, next) => {
    await (isUnderV1(context.path) ? answer(context, () => TE.left(unmatched(router, context))) : next());
  });
};
