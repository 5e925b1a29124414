import * as E from 'fp-ts/Either';
import { hash, timingSafeEqual } from 'node:crypto';
import { type ApiKey, type Authenticate, invalidApiKey, type KeyId } from '../../core';

/** The auth port, with what adds a key to it and takes one away; both hold at once. */
export interface InMemoryApiKeys {
  readonly authenticate: Authenticate;
  readonly add: (id: KeyId, key: ApiKey) => void;
  readonly revoke: (id: KeyId) => void;
}

const digestOf = (key: ApiKey): Buffer =>
  // Through text: a Buffer of `hash` itself has memory of its own, and costs each request twice as much.
  Buffer.from(hash('sha256', key), 'hex');

/** API keys in this process's memory. It compares with each of them, in constant time: for few keys. */
export const inMemoryApiKeys = (keys: Iterable<readonly [KeyId, ApiKey]> = []): InMemoryApiKeys => {
  const digests = new Map<KeyId, Buffer>();
  const add = (id: KeyId, key: ApiKey): void => void digests.set(id, digestOf(key));
  for (const [id, key] of keys) add(id, key);

  const ownerOf = (key: ApiKey): KeyId | undefined => {
    const shown = digestOf(key);
    return [...digests].filter(([, digest]) => timingSafeEqual(digest, shown)).map(([id]) => id)[0];
  };

  return {
    add,
    revoke: (id) => void digests.delete(id),
    authenticate: (key) => () => Promise.resolve(E.fromNullable(invalidApiKey)(ownerOf(key))),
  };
};
