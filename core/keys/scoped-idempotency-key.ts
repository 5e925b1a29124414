import type { IdempotencyKey } from './idempotency-key';
import type { OwnerId } from './owner-id';

/** An idempotency key and whose it is: two owners of API keys may use the same text. */
export interface ScopedIdempotencyKey {
  readonly owner: OwnerId;
  readonly idempotencyKey: IdempotencyKey;
}

/** Both as one text, for what looks things up by texts. */
export const scopedIdempotencyKeyText = ({
  owner,
  idempotencyKey,
}: Readonly<Record<keyof ScopedIdempotencyKey, string>>): string => JSON.stringify([owner, idempotencyKey]);
