import * as E from 'fp-ts/Either';
import { hash } from 'node:crypto';
import { type ApiKey, type Authenticate, invalidApiKey, type KeyId } from '../../core';

/** The auth port, with what adds a key to it and takes one away; both hold at once. */
export interface InMemoryApiKeys {
  readonly authenticate: Authenticate;
  readonly add: (id: KeyId, key: ApiKey) => void;
  readonly revoke: (id: KeyId) => void;
}

// Keys are looked up by what nobody can choose, so that how long it takes tells nothing about one.
const digestOf = (key: ApiKey): string => hash('sha256', key);

/** API keys in this process's memory. */
export const inMemoryApiKeys = (keys: Iterable<readonly [KeyId, ApiKey]> = []): InMemoryApiKeys => {
  const digests = new Map<KeyId, string>();
  const ids = new Map<string, KeyId>();

  const revoke = (id: KeyId): void => {
    ids.delete(digests.get(id) ?? '');
    digests.delete(id);
  };
  const add = (id: KeyId, key: ApiKey): void => {
    revoke(id);
    digests.set(id, digestOf(key));
    ids.set(digestOf(key), id);
  };
  for (const [id, key] of keys) add(id, key);

  return {
    add,
    revoke,
    authenticate: (key) => () => Promise.resolve(E.fromNullable(invalidApiKey)(ids.get(digestOf(key)))),
  };
};
