import { createHash } from 'node:crypto';
import { type InMemoryApiKeys, inMemoryApiKeys } from '../adapters/in-memory';
import { type ApiKey, KeyId } from '../core';

const idOf = (key: ApiKey): string => `env-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;

/** The keys of API_KEYS, each known by an id that stays the same whatever stands beside it. */
export const environmentKeys = (keys: ReadonlyArray<ApiKey>): InMemoryApiKeys =>
  inMemoryApiKeys(
    keys.flatMap((key) => {
      const id = idOf(key);
      return KeyId.is(id) ? [[id, key] as const] : [];
    }),
  );
