import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import type { AnimalStore, ConsumeQuota, OpenAnimalStore } from '../../../core';
import { authenticateRequest } from '../auth/authenticate-request';
import { quotaHeaders } from '../auth/quota-headers';
import { handleCreatePet } from '../operations/handle-create-pet';
import { handleGetPet } from '../operations/handle-get-pet';
import { handleListPets } from '../operations/handle-list-pets';
import type { Operation } from '../operations/operation';
import { deprecationHeaders } from '../protocol/deprecation';
import type { Headers } from '../protocol/headers';
import type { HttpRequest } from '../protocol/http-request';
import { failed, type Outcome, toOutcome } from '../responses/outcome';
import { matchE } from '../task-either';
import type { RouteGroup, Run } from './route';

/** The operations, as metrics name them: the method, the template of the route, and the status of a success. */
export const petOperations = [
  { method: 'GET', route: '/v1/pets', success: 200 },
  { method: 'POST', route: '/v1/pets', success: 201 },
  { method: 'GET', route: '/v1/pets/:petId', success: 200 },
] as const;

/** Everything under `/v1`: each request is authenticated before anything else is asked of it, then counted. */
export const petRoutes = (openStore: OpenAnimalStore, consumeQuota: ConsumeQuota | undefined): RouteGroup => {
  const authenticate = authenticateRequest(openStore);

  const operate = (
    operation: Operation,
    request: HttpRequest,
    store: AnimalStore,
    headers: Headers | undefined,
  ): T.Task<Outcome> => {
    const { caller } = store;
    if (consumeQuota === undefined) return pipe(operation(request, store), toOutcome(caller, headers));
    return pipe(
      consumeQuota(caller.owner, request.deadline),
      matchE(
        (failure) => T.of(failed(failure, caller, headers)),
        (quota) =>
          pipe(
            quota.isWithin
              ? operation(request, store)
              : TE.left({ _tag: 'RateLimited', retryAfter: quota.resetsIn }),
            toOutcome(caller, { ...headers, ...quotaHeaders(quota) }),
          ),
      ),
    );
  };

  const authenticated =
    (operationOf: (parameters: Parameters<Run>[1]) => Operation, headers?: Headers): Run =>
    (request, parameters) =>
      pipe(
        authenticate(request),
        matchE(
          (failure) => T.of(failed(failure, undefined, headers)),
          (store) => operate(operationOf(parameters), request, store, headers),
        ),
      );

  return {
    routes: [
      { method: 'GET', path: '/v1/pets', run: authenticated(() => handleListPets) },
      { method: 'POST', path: '/v1/pets', run: authenticated(() => handleCreatePet) },
      {
        method: 'GET',
        path: '/v1/pets/:petId',
        run: authenticated(({ petId }) => handleGetPet(petId), deprecationHeaders),
      },
    ],
    owns: (path) => path === '/v1' || path.startsWith('/v1/'),
    runUnmatched: (failure) => authenticated(() => () => TE.left(failure)),
  };
};
