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

/** The authentication port, with functions that add and revoke keys at once. */
export interface InMemoryApiKeys {
  readonly authenticate: Authenticate;
  /** Adds a key. The default owner is the id. Throws a TypeError for an invalid key, id or owner. */
  readonly add: (id: string, key: string, owner?: string) => void;
  readonly revoke: (id: string) => void;
}

interface KnownKey {
  readonly key: ApiKey;
  readonly caller: Caller;
  readonly isRevoked: boolean;
}

/** Compares in constant time, so that the time does not reveal where two texts differ. */
const isSame = (one: string, other: string): boolean => {
  let difference = one.length ^ other.length;
  for (let index = 0; index < one.length; index += 1) {
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  }
  return difference === 0;
};

/** Keeps API keys in memory. Each call compares all of them, so it suits a few keys only. */
export const inMemoryApiKeys = (
  keys: Iterable<readonly [id: string, key: string, owner?: string]> = [],
): InMemoryApiKeys => {
  const known = new Map<string, KnownKey>();

  const add = (id: string, key: string, owner = id): void => {
    const caller = callerOf(decodeOrThrow(KeyId, id), decodeOrThrow(OwnerId, owner));
    known.set(id, { key: decodeOrThrow(ApiKey, key), caller, isRevoked: false });
  };
  for (const [id, key, owner] of keys) add(id, key, owner);

  const authenticate: Authenticate = (asked) => () => {
    let found: KnownKey | undefined;
    for (const one of known.values()) if (isSame(one.key, asked)) found = one;
    if (found === undefined) return Promise.resolve(E.left(invalidApiKey('unknown')));
    const { caller, isRevoked } = found;
    return Promise.resolve(isRevoked ? E.left(invalidApiKey('revoked', caller.keyId)) : E.right(caller));
  };

  return {
    add,
    revoke: (id) => {
      const found = known.get(id);
      if (found !== undefined) known.set(id, { ...found, isRevoked: true });
    },
    authenticate,
  };
};
