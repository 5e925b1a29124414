import * as E from 'fp-ts/Either';
import { type ApiKey, type Authenticate, invalidApiKey, type KeyId } from '../../core';

/** The auth port, with what adds a key to it and takes one away; both hold at once. */
export interface InMemoryApiKeys {
  readonly authenticate: Authenticate;
  readonly add: (id: KeyId, key: ApiKey) => void;
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
export const inMemoryApiKeys = (keys: Iterable<readonly [KeyId, ApiKey]> = []): InMemoryApiKeys => {
  const known = new Map(keys);
  const idOf = (asked: ApiKey): KeyId | undefined => {
    let found: KeyId | undefined;
    for (const [id, key] of known) if (isSame(key, asked)) found = id;
    return found;
  };
  return {
    add: (id, key) => void known.set(id, key),
    revoke: (id) => void known.delete(id),
    authenticate: (key) => () => Promise.resolve(E.fromNullable(invalidApiKey)(idOf(key))),
  };
};
