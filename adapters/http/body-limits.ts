import type * as E from 'fp-ts/Either';
import type { HttpFailure } from './errors';

export type Body = E.Either<HttpFailure, Uint8Array>;

export const tooLarge: HttpFailure = { _tag: 'PayloadTooLarge' };

export const incomplete: HttpFailure = {
  _tag: 'MalformedRequest',
  reason: 'the request body is incomplete; send all bytes of its Content-Length, or its last chunk',
};
