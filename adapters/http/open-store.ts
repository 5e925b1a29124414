import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { AnimalStore, Deadline, OpenAnimalStore, Quota } from '../../core';
import type { HttpFailure } from './errors';
import type { Headers } from './reply';

// Matches only spaces and tabs around the key, as RFC 9110 allows. `\s` would also match a no-break space.
const bearer = /^[ \t]*Bearer +((?:.*[^ \t])?)[ \t]*$/i;

/**
 * Extracts the API key from an Authorization header. With a scheme other than Bearer (RFC 6750, section 2.1), the key
 * counts as missing.
 */
const bearerKey = (authorization: string): E.Either<HttpFailure, string> => {
  const key = bearer.exec(authorization)?.[1];
  if (key === undefined) return E.left({ _tag: 'MissingApiKey' });
  return bearer.test(key) ? E.left({ _tag: 'RepeatedBearer' }) : E.right(key);
};

/** Returns the API key that opens the store for a request, or undefined if the request has none. */
export type AuthenticateRequest<Request> = (
  request: Request,
) => string | undefined | Promise<string | undefined>;

/** Reads the API key of a request: by the host's function if there is one, or from the Authorization header. */
export const apiKeyOf = <Request>(
  request: Request,
  authorization = '',
  authenticateRequest?: AuthenticateRequest<Request>,
): TE.TaskEither<HttpFailure, string> =>
  authenticateRequest === undefined
    ? TE.fromEither(bearerKey(authorization))
    : async () => {
        const key = await authenticateRequest(request);
        return key === undefined ? E.left({ _tag: 'MissingApiKey' }) : E.right(key);
      };

/** Opens the store with a key. Calls `record` with the caller and its quota, also if the quota is used up. */
export const openStoreFor = (
  openStore: OpenAnimalStore,
  apiKey: TE.TaskEither<HttpFailure, string>,
  deadline: Deadline,
  record: (opened: Pick<AnimalStore, 'caller' | 'quota'>) => void,
): TE.TaskEither<HttpFailure, AnimalStore> =>
  pipe(
    apiKey,
    TE.flatMap((key) => openStore(key, deadline)),
    TE.mapLeft((failure) => {
      if (failure._tag === 'QuotaExceeded') record(failure);
      return failure;
    }),
    TE.map((store) => {
      record(store);
      return store;
    }),
  );

/** Returns the state of a rate limit as headers (draft-ietf-httpapi-ratelimit-headers). */
export const quotaHeaders = (quota: Quota | undefined): Headers =>
  quota === undefined
    ? {}
    : {
        RateLimit: `"default";r=${quota.remaining};t=${quota.resetsInSeconds}`,
        'RateLimit-Policy': `"default";q=${quota.requests};w=${quota.seconds}`,
      };
