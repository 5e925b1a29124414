import type { ScopedIdempotencyKey } from '../../../core';
import { arbitraryIdempotencyKey } from './arbitrary-idempotency-key';
import { arbitraryKeyId } from './arbitrary-key-id';

/** The key of any creation by any caller. */
export const arbitraryScopedIdempotencyKey = (): ScopedIdempotencyKey => ({
  caller: arbitraryKeyId(),
  idempotencyKey: arbitraryIdempotencyKey(),
});
