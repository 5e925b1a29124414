import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { ApiKey, invalidApiKey } from '../../../core';
import type { HttpFailure } from '../responses/http-failures';

const bearer = /^Bearer(?: +(.*))?$/i;

/** The key in an Authorization header (RFC 6750, section 2.1). Another scheme shows no key. */
export const bearerKey = (authorization = ''): E.Either<HttpFailure, ApiKey> => {
  const key = bearer.exec(authorization.trim())?.[1];
  return key === undefined || key === ''
    ? E.left({ _tag: 'MissingApiKey' })
    : pipe(
        key,
        E.fromPredicate(ApiKey.is, () => invalidApiKey),
      );
};
