import * as E from 'fp-ts/Either';
import {
  type ApiKey,
  type Authenticate,
  type Caller,
  callerOf,
  invalidApiKey,
  type KeyId,
  type OwnerId,
} from '../../core';

/** The auth port, with what adds a key to it and takes one away; both hold at once. */
export interface InMemoryApiKeys {
  readonly authenticate: Authenticate;
  /** A key without an owner is its own. */
  readonly add: (id: KeyId, key: ApiKey, owner?: OwnerId) => void;
  readonly revoke: (id: KeyId) => void;
}

/** Looks at every character, so that how long it takes does not tell where two texts differ. */
const isSame = (one: string, other: string): boolean => {
  let difference = one.length ^ other.length;
  for (let index = 0; index < one.length; index += 1) {
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  }
  return difference === 0;
};

/** API keys in this process's memory: a few, since each call looks at all of them. */
export const inMemoryApiKeys = (keys: Iterable<readonly [KeyId, ApiKey, OwnerId?]> = []): InMemoryApiKeys => {
  const known = new Map<KeyId, { readonly key: ApiKey; readonly caller: Caller }>();
  const callerBy = (asked: ApiKey): Caller | undefined => {
    let found: Caller | undefined;
    for (const { key, caller } of known.values()) if (isSame(key, asked)) found = caller;
    return found;
  };
  const add = (id: KeyId, key: ApiKey, owner?: OwnerId): void => {
    known.set(id, { key, caller: callerOf(id, owner) });
  };
  for (const [id, key, owner] of keys) add(id, key, owner);

  return {
    add,
    revoke: (id) => void known.delete(id),
    authenticate: (key) => () => Promise.resolve(E.fromNullable(invalidApiKey)(callerBy(key))),
  };
};
