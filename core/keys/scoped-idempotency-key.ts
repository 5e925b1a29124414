import type { IdempotencyKey } from './idempotency-key';
import type { KeyId } from './key-id';

/** An idempotency key and whose it is: two callers may use the same text. */
export interface ScopedIdempotencyKey {
  readonly caller: KeyId;
  readonly idempotencyKey: IdempotencyKey;
}

/** Both as one text, for what looks things up by texts. */
export const scopedIdempotencyKeyText = ({
  caller,
  idempotencyKey,
}: Readonly<Record<keyof ScopedIdempotencyKey, string>>): string => JSON.stringify([caller, idempotencyKey]);
