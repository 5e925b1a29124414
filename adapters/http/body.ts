import type * as E from 'fp-ts/Either';
import type { HttpFailure } from './errors';

export type BodyResult = E.Either<HttpFailure, Uint8Array>;

export const bodyTooLarge: HttpFailure = { _tag: 'PayloadTooLarge' };

export const bodyIncomplete: HttpFailure = {
  _tag: 'MalformedRequest',
  reason: 'the request body is incomplete; send all bytes of its Content-Length, or its last chunk',
};
