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

/** Opens the store with the API key of an Authorization header. */
export const openStoreFor = (
  openStore: OpenAnimalStore,
  authorization: string,
  deadline: Deadline,
): TE.TaskEither<HttpFailure, AnimalStore> =>
  pipe(
    TE.fromEither(bearerKey(authorization)),
    TE.flatMap((key) => openStore(key, deadline)),
  );

/** Returns the state of a rate limit as headers (draft-ietf-httpapi-ratelimit-headers). */
export const quotaHeaders = (quota: Quota | undefined): Headers =>
  quota === undefined
    ? {}
    : {
        RateLimit: `"default";r=${quota.remaining};t=${quota.resetsInSeconds}`,
        'RateLimit-Policy': `"default";q=${quota.requests};w=${quota.seconds}`,
      };
