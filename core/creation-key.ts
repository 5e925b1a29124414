import type { IdempotencyKey } from './idempotency-key';
import type { KeyId } from './key-id';

/** Whose creation it is, and the name that its caller gave it. Two callers' keys never meet. */
export interface CreationKey {
  readonly caller: KeyId;
  readonly idempotencyKey: IdempotencyKey;
}

/** How long a repository keeps what a creation key made: 24 hours, in milliseconds. */
export const retentionOfCreationKeys = 24 * 60 * 60 * 1000;
