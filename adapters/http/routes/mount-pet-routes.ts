import Router from '@koa/router';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type Koa from 'koa';
import { setImmediate as immediate } from 'node:timers/promises';
import type { ConsumeQuota, OpenAnimalStore } from '../../../core';
import { authenticateRequest } from '../auth/authenticate-request';
import { deprecationAt } from '../protocol/deprecated';
import { handleCreatePet } from '../operations/handle-create-pet';
import { handleGetPet } from '../operations/handle-get-pet';
import { handleListPets } from '../operations/handle-list-pets';
import type { Handler } from '../operations/handler';
import type { Headers } from '../protocol/headers';
import { limitRequests } from '../auth/limit-requests';
import { respond } from '../responses/respond';
import type { Send } from '../responses/send';
import { sendAnswer } from '../responses/send-answer';
import { unmatched } from './unmatched';

interface Options {
  /** Counts the requests of each key; without it they are not limited. */
  readonly consumeQuota?: ConsumeQuota | undefined;
  /** How answers are sent: in Koa's own way by default. */
  readonly send?: Send;
}

const isUnderV1 = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

const withHeaders =
  (added: Headers, send: Send): Send =>
  (context, { status, body, headers }) => {
    // A spread of both would have V8 make a new map for each answer.
    send(context, {
      status,
      body,
      headers: headers === undefined ? added : Object.assign({}, added, headers),
    });
  };

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
  { consumeQuota, send = sendAnswer }: Options = {},
): void => {
  const authenticate = authenticateRequest(openStore);
  const admit = consumeQuota === undefined ? authenticate : limited(authenticate, consumeQuota);
  const answer = (context: Koa.Context, handle: Handler, headers?: Headers): Promise<void> =>
    respond(
      context,
      async () => {
        const admitted = await admit(context)();
        if (E.isRight(admitted)) return await handle(context, admitted.right)();
        // Who is let in goes first; and written one after the other, refusals wake their reader once: half the cost.
        await immediate();
        return admitted;
      },
      headers === undefined ? send : withHeaders(headers, send),
    );

  const router = new Router({ prefix: '/v1', sensitive: true, strict: true });
  router.get('/pets', (context) => answer(context, handleListPets));
  router.post('/pets', (context) => answer(context, handleCreatePet));
  router.get('/pets/:petId', (context) =>
    answer(context, handleGetPet(context.params['petId']), deprecationAt(context.originalUrl)),
  );

  app.use(router.routes());
  app.use(async (context, next) => {
    await (isUnderV1(context.path) ? answer(context, () => TE.left(unmatched(router, context))) : next());
  });
};
