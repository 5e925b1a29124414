import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import type { ConsumeQuota, OpenAnimalStore } from '../../../core';
import { bearerKey } from '../auth/bearer-key';
import { quotaHeaders } from '../auth/quota-headers';
import { handleCreatePet } from '../operations/handle-create-pet';
import { handleGetPet } from '../operations/handle-get-pet';
import { handleListPets } from '../operations/handle-list-pets';
import type { Operation } from '../operations/operation';
import type { Headers } from '../protocol/headers';
import { decided, failed } from '../responses/outcome';
import type { RouteGroup, Run } from './route';

/** The operations, as metrics name them: the method, the template of the route, and the status of a success. */
export const petOperations = [
  { method: 'GET', route: '/v1/pets', success: 200 },
  { method: 'POST', route: '/v1/pets', success: 201 },
  { method: 'GET', route: '/v1/pets/:petId', success: 200 },
] as const;

/** Everything under `/v1`: each request is authenticated before anything else is asked of it, then counted. */
export const petRoutes = (openStore: OpenAnimalStore, consumeQuota: ConsumeQuota | undefined): RouteGroup => {
  const authenticated =
    (operation: Operation): Run =>
    async (request, parameters) => {
      const { message, deadline } = request;
      const key = bearerKey(message.headers.authorization);
      if (E.isLeft(key)) return failed(key.left);
      const opened = await openStore(key.right, deadline)();
      if (E.isLeft(opened)) return failed(opened.left);
      const store = opened.right;
      const { caller } = store;

      let headers: Headers | undefined;
      if (consumeQuota !== undefined) {
        const consumed = await consumeQuota(caller.owner, deadline)();
        if (E.isLeft(consumed)) return failed(consumed.left, caller);
        const { isWithin, resetsIn } = consumed.right;
        headers = quotaHeaders(consumed.right);
        if (!isWithin) return failed({ _tag: 'RateLimited', retryAfter: resetsIn }, caller, headers);
      }

      const ended = await operation(request, store, parameters)();
      return E.isLeft(ended) ? failed(ended.left, caller, headers) : decided(ended.right, caller, headers);
    };

  return {
    routes: [
      { method: 'GET', path: '/v1/pets', run: authenticated(handleListPets) },
      { method: 'POST', path: '/v1/pets', run: authenticated(handleCreatePet) },
      { method: 'GET', path: '/v1/pets/:petId', run: authenticated(handleGetPet) },
    ],
    owns: (path) => path === '/v1' || path.startsWith('/v1/'),
    runUnmatched: (failure) => authenticated(() => TE.left(failure)),
  };
};
