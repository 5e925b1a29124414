import * as E from 'fp-ts/Either';
import type { OpenAnimalStore, Quota } from '../../../core';
import type { HttpFailure } from '../message/failures';
import type { Headers } from './headers';
import type { PetOperation, PetRequest } from './pet-request';
import { type Outcome, type Reply, replyOf } from './reply';

/** Returns the API key of a request. Undefined leads to a 401, and an exception to a 500. */
export type ApiKeyOfRequest<Request> = (request: Request) => string | undefined | Promise<string | undefined>;

/** Functions that open the store for a request. `Request` is the type of a request in the web framework. */
export interface StoreAccess<Request> {
  /** Opens the store with an API key. `storeOpener(ports)` makes this function. */
  readonly openStore: OpenAnimalStore;
  /** Returns the API key of a request, for example from its session. The default reads the header `Authorization`. */
  readonly apiKeyOfRequest?: ApiKeyOfRequest<Request> | undefined;
}

/**
 * Makes the reply to a request, with all headers of its operation. The reply is a 503 if the deadline of the request
 * passes. `hostRequest` is the same request, in the type of the web framework.
 */
export const answer = async <Request>(
  access: StoreAccess<Request>,
  hostRequest: Request,
  request: PetRequest,
  { path, headers, handle }: Pick<PetOperation, 'headers' | 'handle'> & { readonly path?: string },
): Promise<Reply> => {
  const { record, header } = request;
  record.route = path;
  record.outcome = await record.deadline.endInTime(openAndHandle(access, hostRequest, request, handle));
  // `Vary` protects replies from a cache that ignores `no-store`. With `apiKeyOfRequest` it is `*`, because this
  // function may read any part of the request.
  const Vary = access.apiKeyOfRequest === undefined ? 'Authorization' : '*';
  const allHeaders = { Vary, ...headers, ...quotaHeaders(record.identity?.quota) };
  return replyOf(record.outcome, record.id, allHeaders, header('if-none-match'));
};

const openAndHandle = async <Request>(
  { openStore, apiKeyOfRequest }: StoreAccess<Request>,
  hostRequest: Request,
  request: PetRequest,
  handle: PetOperation['handle'],
): Promise<Outcome> => {
  const { record, header } = request;
  const key =
    apiKeyOfRequest === undefined
      ? bearerKey(header('authorization'))
      : E.fromNullable<HttpFailure>({ _tag: 'MissingApiKey' })(await apiKeyOfRequest(hostRequest));
  if (E.isLeft(key)) return key;
  const opened = await openStore(key.right, record.deadline.time)();
  if (E.isLeft(opened)) {
    if (opened.left._tag === 'QuotaExceeded') record.identity = opened.left;
    return opened;
  }
  record.identity = opened.right;
  return handle(opened.right, request);
};

// Ignores spaces and tabs at both ends of the value (RFC 9110, section 5.6.3). `\s` would include a no-break space.
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
