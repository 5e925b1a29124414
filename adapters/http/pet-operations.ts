import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { type OpenAnimalStore, type OperationName, type Quota, unavailable } from '../../core';
import type { HttpFailure } from './errors';
import { handleCreatePet } from './handlers/create-pet';
import { handleGetPet } from './handlers/get-pet';
import { handleListPets } from './handlers/list-pets';
import type { Headers } from './headers';
import { type Handler, maxResponseMs, type PetRequest, type RequestRecord } from './request-record';
import type { Reply } from './reply';

/** Operation under `/v1`. Its name in `petOperations` is its `operationId` in openapi.json. */
export interface PetOperation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly successStatus: number;
  /** Headers of every response of the operation, even if it fails. */
  readonly headers?: Headers;
  readonly handle: Handler;
}

export const petOperations: Readonly<Record<OperationName, PetOperation>> = {
  listPets: { method: 'GET', path: '/v1/pets', successStatus: 200, handle: handleListPets },
  createPet: { method: 'POST', path: '/v1/pets', successStatus: 201, handle: handleCreatePet },
  getPet: {
    method: 'GET',
    path: '/v1/pets/:petId',
    successStatus: 200,
    // Headers of RFC 9745 and RFC 8594, and a relation of RFC 5829. Link is relative, to work behind any path prefix.
    headers: {
      Deprecation: '@1795046400',
      Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      Link: '<../pets>; rel="successor-version"',
    },
    handle: handleGetPet,
  },
};

/** Returns the HTTP methods that an operation answers: its own, and HEAD if that is GET. */
export const methodsOf = ({ method }: PetOperation): ReadonlyArray<string> =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

export const petMethods: ReadonlyArray<string> = [
  ...new Set(Object.values(petOperations).flatMap(methodsOf)),
];

export const operationsHint = 'the operations on animals are under /v1';

/** Returns the API key of a request. Undefined leads to a 401, and an exception to a 500. */
export type AuthenticateRequest<Request> = (
  request: Request,
) => string | undefined | Promise<string | undefined>;

// Ignores spaces and tabs at both ends of the value (RFC 9110, section 5.6.3). `\s` would also ignore a no-break space.
const bearer = /^[ \t]*Bearer +((?:.*[^ \t])?)[ \t]*$/i;

/**
 * Extracts the API key from an Authorization header. Without the scheme Bearer (RFC 6750, section 2.1), the key counts
 * as missing. A second `Bearer`, such as one pasted with the key, gets an error of its own.
 */
const bearerKey = (authorization = ''): E.Either<HttpFailure, string> => {
  const key = bearer.exec(authorization)?.[1];
  if (key === undefined) return E.left({ _tag: 'MissingApiKey' });
  return bearer.test(key) ? E.left({ _tag: 'RepeatedBearer' }) : E.right(key);
};

/** Returns the state of a rate limit as headers (draft-ietf-httpapi-ratelimit-headers), or {} without a limit. */
const quotaHeaders = (quota: Quota | undefined): Headers =>
  quota === undefined
    ? {}
    : {
        RateLimit: `"default";r=${quota.remaining};t=${quota.resetsInSeconds}`,
        'RateLimit-Policy': `"default";q=${quota.requests};w=${quota.seconds}`,
      };

/**
 * Runs a task, and resolves to its outcome. Fails with Unavailable at the deadline, and with a Defect if the task
 * rejects. The deadline may change while the task runs. A late task continues, but its outcome is ignored.
 */
export const endInTime = <A>(
  task: TaskEither<HttpFailure, A>,
  record: RequestRecord,
): Promise<E.Either<HttpFailure, A>> =>
  new Promise((resolve) => {
    const check = (): void => {
      const leftMs = record.deadline - performance.now();
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

/** Functions that open the store for a request. `Request` is the type of a request in the web framework. */
export interface StoreAccess<Request> {
  /** Opens the store with an API key. `openAnimalStore(ports)` makes this function. */
  readonly openStore: OpenAnimalStore;
  /** Returns the API key of a request, for example from its session. The default reads the header `Authorization`. */
  readonly authenticateRequest?: AuthenticateRequest<Request> | undefined;
}

/**
 * Opens the store with the API key of a request, calls the handler, and makes the reply with all headers of the
 * operation. Answers 503 at the deadline of the request. `hostRequest` is the same request, in the type of the web
 * framework.
 */
export const answer = async <Request>(
  { openStore, authenticateRequest }: StoreAccess<Request>,
  hostRequest: Request,
  request: PetRequest,
  { path, headers, handle }: Pick<PetOperation, 'headers' | 'handle'> & { readonly path?: string },
): Promise<Reply> => {
  const { record, header } = request;
  record.route = path;
  const outcome = await endInTime<Reply>(async () => {
    const key =
      authenticateRequest === undefined
        ? bearerKey(header('authorization'))
        : E.fromNullable<HttpFailure>({ _tag: 'MissingApiKey' })(await authenticateRequest(hostRequest));
    if (E.isLeft(key)) return key;
    const opened = await openStore(key.right, record.deadline)();
    const storeOrFailure = E.toUnion(opened);
    if ('caller' in storeOrFailure) {
      record.caller = storeOrFailure.caller;
      record.quota = storeOrFailure.quota;
    }
    return E.isLeft(opened) ? opened : handle(opened.right, request);
  }, record);
  // `Vary` protects replies from a cache that ignores `no-store`. It is `*` for a function of the host, because this
  // function may read any part of the request.
  const Vary = authenticateRequest === undefined ? 'Authorization' : '*';
  const allHeaders = { Vary, ...headers, ...quotaHeaders(record.quota) };
  return record.end(outcome, allHeaders, header('if-none-match'));
};
