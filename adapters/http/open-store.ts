import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
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

/** Request of a host, the text of its `Authorization` header, and the host's own function to authenticate it. */
export interface UnopenedRequest<Request> {
  readonly request: Request;
  readonly authorization: string | undefined;
  readonly authenticateRequest?: AuthenticateRequest<Request> | undefined;
}

const readKey = async <Request>({
  request,
  authorization = '',
  authenticateRequest,
}: UnopenedRequest<Request>): Promise<E.Either<HttpFailure, string>> => {
  if (authenticateRequest === undefined) return bearerKey(authorization);
  const key = await authenticateRequest(request);
  return key === undefined ? E.left({ _tag: 'MissingApiKey' }) : E.right(key);
};

/** Opens the store for a request. Calls `record` with the caller and its quota, also if the quota is used up. */
export const openStoreFor =
  <Request>(
    openStore: OpenAnimalStore,
    unopened: UnopenedRequest<Request>,
    deadline: Deadline,
    record: (opened: Pick<AnimalStore, 'caller' | 'quota'>) => void,
  ): TaskEither<HttpFailure, AnimalStore> =>
  async () => {
    const key = await readKey(unopened);
    if (E.isLeft(key)) return key;
    const opened = await openStore(key.right, deadline)();
    if (E.isRight(opened)) record(opened.right);
    else if (opened.left._tag === 'QuotaExceeded') record(opened.left);
    return opened;
  };

/** Returns the state of a rate limit as headers (draft-ietf-httpapi-ratelimit-headers). */
export const quotaHeaders = (quota: Quota | undefined): Headers =>
  quota === undefined
    ? {}
    : {
        RateLimit: `"default";r=${quota.remaining};t=${quota.resetsInSeconds}`,
        'RateLimit-Policy': `"default";q=${quota.requests};w=${quota.seconds}`,
      };
