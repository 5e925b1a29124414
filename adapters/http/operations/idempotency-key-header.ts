import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { IdempotencyKey } from '../../../core';
import type { HttpFailure } from '../responses/http-failures';

const quoted = /^ *"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)" *$/;

// Without a comma, which joins two headers of the same name.
const bare = /^ *([\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+) *$/;

/**
 * The key in an Idempotency-Key header: a String of RFC 8941, section 3.3.3, as the IETF draft asks, or the same
 * characters without quotes, as most clients send it.
 */
export const idempotencyKeyHeader = (
  header: string | undefined,
): E.Either<HttpFailure, IdempotencyKey | undefined> =>
  header === undefined
    ? E.right(undefined)
    : pipe(
        quoted.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? bare.exec(header)?.[1],
        E.fromPredicate(IdempotencyKey.is, () => ({ _tag: 'InvalidIdempotencyKey' })),
      );
