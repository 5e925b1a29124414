import type { ScopedIdempotencyKey } from '../../../core';
import { arbitraryIdempotencyKey } from './arbitrary-idempotency-key';
import { arbitraryOwnerId } from './arbitrary-owner-id';

/** The key of any creation by anybody. */
export const arbitraryScopedIdempotencyKey = (): ScopedIdempotencyKey => ({
  owner: arbitraryOwnerId(),
  idempotencyKey: arbitraryIdempotencyKey(),
});
