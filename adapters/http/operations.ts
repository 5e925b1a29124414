import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { type Caller, type OpenAnimalStore, type OperationName, type Quota, unavailable } from '../../core';
import type { Headers, HttpFailure } from './errors';
import { handleCreatePet } from './handlers/create-pet';
import { handleGetPet } from './handlers/get-pet';
import { handleListPets } from './handlers/list-pets';
import { type Handle, maxResponseMs, type PetRequest, type Reply } from './messages';

/** Operation under /v1. openapi.json describes it by its name, as `operationId`. */
export interface PetOperation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly successStatus: number;
  /** Headers of every response of the operation. */
  readonly headers?: Headers;
  readonly handle: Handle;
}

export const petOperations: Readonly<Record<OperationName, PetOperation>> = {
  listPets: { method: 'GET', path: '/v1/pets', successStatus: 200, handle: handleListPets },
  createPet: { method: 'POST', path: '/v1/pets', successStatus: 201, handle: handleCreatePet },
  getPet: {
    method: 'GET',
    path: '/v1/pets/:petId',
    successStatus: 200,
    // RFC 9745, 8594 and 5829. The Link is relative, so that it works behind any path prefix.
    headers: {
      Deprecation: '@1795046400',
      Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      Link: '<../pets>; rel="successor-version"',
    },
    handle: handleGetPet,
  },
};

/** Methods of a request to an operation. HEAD mirrors GET. */
export const methodsOf = ({ method }: PetOperation): ReadonlyArray<string> =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

export const petMethods: ReadonlyArray<string> = [
  ...new Set(Object.values(petOperations).flatMap(methodsOf)),
];

export const operationsHint = 'the operations on animals are under /v1';

/** Returns the API key that opens the store for a request, or undefined if the request has none. */
export type AuthenticateRequest<Request> = (
  request: Request,
) => string | undefined | Promise<string | undefined>;

// Matches only spaces and tabs around the key, as RFC 9110 allows. `\s` would also match a no-break space.
const bearer = /^[ \t]*Bearer +((?:.*[^ \t])?)[ \t]*$/i;

/**
 * Extracts the API key from an Authorization header. With a scheme other than Bearer (RFC 6750, section 2.1), the key
 * counts as missing.
 */
const bearerKey = (authorization = ''): E.Either<HttpFailure, string> => {
  const key = bearer.exec(authorization)?.[1];
  if (key === undefined) return E.left({ _tag: 'MissingApiKey' });
  return bearer.test(key) ? E.left({ _tag: 'RepeatedBearer' }) : E.right(key);
};

/** Returns the state of a rate limit as headers (draft-ietf-httpapi-ratelimit-headers). */
const quotaHeaders = (quota: Quota | undefined): Headers =>
  quota === undefined
    ? {}
    : {
        RateLimit: `"default";r=${quota.remaining};t=${quota.resetsInSeconds}`,
        'RateLimit-Policy': `"default";q=${quota.requests};w=${quota.seconds}`,
      };

/**
 * Fails as Unavailable at the deadline, which may move while the task runs, and as a Defect if the task rejects. A late
 * task continues, but its outcome is ignored.
 */
export const endInTime = <A>(
  task: TaskEither<HttpFailure, A>,
  request: Pick<PetRequest, 'deadline'>,
): Promise<E.Either<HttpFailure, A>> =>
  new Promise((resolve) => {
    const check = (): void => {
      const leftMs = request.deadline - performance.now();
      if (leftMs > 0) timer = setTimeout(check, Math.min(leftMs, maxResponseMs));
      else {
        const cause = new Error(`the request was not answered within ${maxResponseMs / 1_000} s`);
        resolve(E.left(unavailable(cause)));
      }
    };
    let timer = setTimeout(check, maxResponseMs);
    const end = (outcome: E.Either<HttpFailure, A>): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    task().then(end, (cause: unknown) => {
      end(E.left({ _tag: 'Defect', cause }));
    });
  });

/** Functions by which a request of a host gets its store. */
export interface StoreAccess<Request> {
  /** Opens the store with an API key: the result of `openAnimalStore(ports)`. */
  readonly openStore: OpenAnimalStore;
  /** Returns the API key of a request, such as the key in its session. The default is the key in `Authorization`. */
  readonly authenticateRequest?: AuthenticateRequest<Request> | undefined;
}

/**
 * Answers a request in time: reads the API key, opens the store with it, and calls the handler. `hostRequest` is the
 * request as the host has it. Sets `state.caller` as soon as the caller is known. `headers` has the rate limit.
 */
export const answer = async <Request>(
  { openStore, authenticateRequest }: StoreAccess<Request>,
  hostRequest: Request,
  request: PetRequest,
  handle: Handle,
  state: { caller?: Caller } = {},
): Promise<{ readonly outcome: E.Either<HttpFailure, Reply>; readonly headers: Headers }> => {
  let headers: Headers = {};
  const outcome = await endInTime<Reply>(async () => {
    const key =
      authenticateRequest === undefined
        ? bearerKey(request.authorization)
        : E.fromNullable<HttpFailure>({ _tag: 'MissingApiKey' })(await authenticateRequest(hostRequest));
    if (E.isLeft(key)) return key;
    const opened = await openStore(key.right, request.deadline)();
    const known = E.isRight(opened) ? opened.right : opened.left;
    if ('caller' in known) {
      state.caller = known.caller;
      headers = quotaHeaders(known.quota);
    }
    return E.isLeft(opened) ? opened : handle(opened.right, request);
  }, request);
  return { outcome, headers };
};
