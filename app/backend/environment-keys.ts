import { hash } from 'node:crypto';
import { type InMemoryApiKeys, inMemoryApiKeys } from '../../adapters/in-memory';
import { type ApiKey, decodeOrThrow, KeyId } from '../../core';

/** 64 bits of the hash, so that ids do not collide. */
const hexDigits = 16;

const idOf = (key: ApiKey): string => `env-${hash('sha256', key).slice(0, hexDigits)}`;

/** Derives each id from its key, so that it stays the same when other keys change. */
export const environmentKeys = (keys: ReadonlyArray<ApiKey>): InMemoryApiKeys =>
  inMemoryApiKeys(keys.map((key) => [decodeOrThrow(KeyId, idOf(key)), key]));
