import * as E from 'fp-ts/Either';
import { ApiKey, type OpenAnimalStore } from '../../../core';
import type { PetMiddleware, ServerFunctions } from '../context';
import type { HttpFailure } from '../errors';
import { fail } from '../respond';

// RFC 9110 allows spaces and tabs only; `\s` would also accept a no-break space.
const bearer = /^[ \t]*Bearer +(.*?)[ \t]*$/i;

/** Reads the key in an Authorization header (RFC 6750, section 2.1). Treats another scheme as a missing key. */
const bearerKey = (authorization: string): E.Either<HttpFailure, ApiKey> => {
  const key = bearer.exec(authorization)?.[1];
  if (key === undefined) return E.left({ _tag: 'MissingApiKey' });
  return ApiKey.is(key) ? E.right(key) : E.left({ _tag: 'MalformedApiKey', repeatsScheme: bearer.test(key) });
};

/** Opens the store with the API key of the request, before anything else of the request is read. */
export const authenticate =
  (openStore: OpenAnimalStore, { deadlineOf }: ServerFunctions): PetMiddleware =>
  async (context, next) => {
    const key = bearerKey(context.req.headers.authorization ?? '');
    if (E.isLeft(key)) {
      fail(context, key.left);
      return;
    }
    const opened = await openStore(key.right, deadlineOf(context.req))();
    if (E.isLeft(opened)) {
      fail(context, opened.left);
      return;
    }
    context.state.caller = opened.right.caller;
    context.state.store = opened.right;
    await next();
  };
