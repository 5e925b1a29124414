import * as E from 'fp-ts/Either';
import {
  ApiKey,
  type Authenticate,
  type Caller,
  callerOf,
  decodeOrThrow,
  invalidApiKey,
  KeyId,
  OwnerId,
} from '../../core';

type InMemoryApiKeys = Readonly<{
  authenticate: Authenticate;
  /**
   * Adds an API key with the public id `id`. Keys with the same owner share idempotency keys and a quota. The default
   * of `owner` is `id`. A `read-only` key can't add animals. Throws a TypeError if an argument is invalid.
   */
  add: (id: string, key: string, owner?: string, access?: 'read-only') => void;
  /** Revokes all keys with this id. */
  revoke: (id: string) => void;
}>;

interface KnownKey {
  readonly caller: Caller;
  isRevoked: boolean;
}

/**
 * Makes an in-memory store of API keys that starts with `keys`. Throws a TypeError if an id, key or owner is invalid.
 */
export const inMemoryApiKeys = (
  keys: Iterable<readonly [id: string, key: string, owner?: string, access?: 'read-only']> = [],
): InMemoryApiKeys => {
  // Uses a Map, which V8 searches by a hash of the whole string. The time of a search therefore does not reveal how
  // much of a guessed API key is right.
  const byKey = new Map<string, KnownKey>();

  const add = (id: string, key: string, owner = id, access?: 'read-only'): void => {
    const caller = callerOf(decodeOrThrow(KeyId, id), decodeOrThrow(OwnerId, owner), {
      isReadOnly: access !== undefined,
    });
    byKey.set(decodeOrThrow(ApiKey, key), { caller, isRevoked: false });
  };
  for (const [id, key, owner, access] of keys) add(id, key, owner, access);

  const authenticate: Authenticate = (asked) => () => {
    const found = byKey.get(asked);
    if (found === undefined) return Promise.resolve(E.left(invalidApiKey('unknown')));
    const { caller, isRevoked } = found;
    return Promise.resolve(isRevoked ? E.left(invalidApiKey('revoked', caller.keyId)) : E.right(caller));
  };

  return {
    add,
    revoke: (id) => {
      for (const known of byKey.values()) if (known.caller.keyId === id) known.isRevoked = true;
    },
    authenticate,
  };
};
