import type { CreationKey } from '../../../core';
import { arbitraryIdempotencyKey } from './arbitrary-idempotency-key';
import { arbitraryKeyId } from './arbitrary-key-id';

/** The key of any creation by any caller. */
export const arbitraryCreationKey = (): CreationKey => ({
  caller: arbitraryKeyId(),
  idempotencyKey: arbitraryIdempotencyKey(),
});
