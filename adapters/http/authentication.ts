import * as E from 'fp-ts/Either';
import type { AnimalStore, InvalidApiKey, Quota, QuotaExceeded, Unavailable } from '../../core';
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
export const readApiKey = async <Request>(
  request: Request,
  authorization = '',
  authenticateRequest?: AuthenticateRequest<Request>,
): Promise<E.Either<HttpFailure, string>> => {
  if (authenticateRequest === undefined) return bearerKey(authorization);
  const key = await authenticateRequest(request);
  return key === undefined ? E.left({ _tag: 'MissingApiKey' }) : E.right(key);
};

/** Returns the caller of an opened store and its quota, also if the quota is used up, or undefined without a caller. */
export const callerAndQuotaOf = (
  opened: E.Either<InvalidApiKey | QuotaExceeded | Unavailable, AnimalStore>,
): Pick<AnimalStore, 'caller' | 'quota'> | undefined => {
  if (E.isRight(opened)) return opened.right;
  return opened.left._tag === 'QuotaExceeded' ? opened.left : undefined;
};

/** Returns the state of a rate limit as headers (draft-ietf-httpapi-ratelimit-headers). */
export const quotaHeaders = (quota: Quota | undefined): Headers =>
  quota === undefined
    ? {}
    : {
        RateLimit: `"default";r=${quota.remaining};t=${quota.resetsInSeconds}`,
        'RateLimit-Policy': `"default";q=${quota.requests};w=${quota.seconds}`,
      };
