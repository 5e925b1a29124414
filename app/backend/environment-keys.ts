import { hash } from 'node:crypto';
import { type InMemoryApiKeys, inMemoryApiKeys } from '../../adapters/in-memory';
import { type ApiKey, decodeOrThrow, KeyId } from '../../core';

const idOf = (key: ApiKey): string => `env-${hash('sha256', key).slice(0, 8)}`;

/** The keys of API_KEYS, each known by an id that stays the same whatever stands beside it. */
export const environmentKeys = (keys: ReadonlyArray<ApiKey>): InMemoryApiKeys =>
  inMemoryApiKeys(keys.map((key) => [decodeOrThrow(KeyId, idOf(key)), key]));
