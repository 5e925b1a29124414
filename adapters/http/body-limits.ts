import type * as E from 'fp-ts/Either';
import type { HttpFailure } from './errors';

export type Body = E.Either<HttpFailure, Uint8Array>;

export const maxBodyBytes = 16_000;

/** Limits on the rest of a body that is discarded, so that its sender can read the response. */
export const maxDiscardedBytes = 8_000_000;
export const maxDiscardMs = 1_000;

export const tooLarge: HttpFailure = { _tag: 'PayloadTooLarge' };

export const incomplete: HttpFailure = {
  _tag: 'MalformedRequest',
  reason: 'the request body is incomplete; send all bytes of its Content-Length, or its last chunk',
};
