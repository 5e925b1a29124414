import { decodeOrThrow } from '../codecs/decode-or-throw';
import type { KeyId } from './key-id';
import { OwnerId } from './owner-id';

/** An authenticated caller: by which key, and whose it is. Both are public, and safe to log. */
export interface Caller {
  readonly keyId: KeyId;
  /** What lasts longer than a key belongs to its owner: idempotency keys, and the quota. */
  readonly owner: OwnerId;
}

/** Who calls by this key. A key of nobody else's is its own owner, by the same id. */
export const callerOf = (keyId: KeyId, owner: OwnerId = decodeOrThrow(OwnerId, keyId)): Caller => ({
  keyId,
  owner,
});
