import type { IdempotencyKey } from './idempotency-key';
import type { KeyId } from './key-id';

/** Whose creation it is, and the name that its caller gave it. Two callers' keys never meet. */
export interface CreationKey {
  readonly caller: KeyId;
  readonly idempotencyKey: IdempotencyKey;
}

/** A creation key as one text, for what looks things up by texts. */
export const creationKeyText = ({
  caller,
  idempotencyKey,
}: Readonly<Record<keyof CreationKey, string>>): string => JSON.stringify([caller, idempotencyKey]);
