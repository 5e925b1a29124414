import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  ApiKey,
  type Authenticate,
  type Caller,
  callerOf,
  decodeOrThrow,
  type InvalidApiKey,
  invalidApiKey,
  KeyId,
  OwnerId,
} from '../../../core';
import { createBatcher } from '../batcher';
import type { StoreDatabase } from '../database/store-database';
import { databaseTimeouts } from '../timeouts';

export interface ApiKeyRow {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly digest: string;
  readonly last_four: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
  readonly expires_at: string | null;
  /**
   * Lifetime that was set when the key was issued, or null if it was issued without an expiry. A successor gets the
   * same lifetime by default. A rotation does not change this value, but `expires_at` of the old key.
   */
  readonly lifetime_ms: number | string | null;
}

/** True if the key has expired. A date that can't be parsed counts as past. */
const hasExpired = ({ expires_at }: Pick<ApiKeyRow, 'expires_at'>, now: number): boolean =>
  expires_at !== null && !(now < Date.parse(expires_at));

export const isValid = (row: Pick<ApiKeyRow, 'revoked_at' | 'expires_at'>, now: number): boolean =>
  row.revoked_at === null && !hasExpired(row, now);

const format = /^animals_([0-9a-f]{16})_[\w-]{43}$/;

export const newApiKey = (): { readonly id: string; readonly key: ApiKey } => {
  const id = randomBytes(8).toString('hex');
  return { id, key: decodeOrThrow(ApiKey, `animals_${id}_${randomBytes(32).toString('base64url')}`) };
};

const keyIdOf = (key: string): string | undefined => format.exec(key)?.[1];

/** Returns the SHA-256 of a key. A key has 256 random bits, so it needs no slow password hash. */
export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer');

const maxTrusted = 10_000;
const maxBatchSize = 400;

interface StoredKey extends Pick<ApiKeyRow, 'revoked_at' | 'expires_at'> {
  readonly caller: Caller;
  readonly keyHash: Buffer;
}

const toStoredKey = (id: KeyId, { owner_id, digest, revoked_at, expires_at }: ApiKeyRow): StoredKey => ({
  caller: callerOf(id, OwnerId.is(owner_id) ? owner_id : undefined),
  keyHash: Buffer.from(digest, 'hex'),
  revoked_at,
  expires_at,
});

const readKeys =
  ({ reads, onPrimary }: Pick<StoreDatabase, 'reads' | 'onPrimary'>) =>
  async (ids: ReadonlyArray<KeyId>): Promise<ReadonlyArray<E.Either<InvalidApiKey, StoredKey>>> => {
    const rows = await reads<ApiKeyRow>('api_keys').whereIn('id', ids).whereRaw(onPrimary).select('*');
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = byId.get(id);
      return row === undefined ? E.left(invalidApiKey('unknown', id)) : E.right(toStoredKey(id, row));
    });
  };

const isHashOf = (key: ApiKey, stored: Buffer): boolean => {
  const keyHash = hashOf(key);
  return stored.length === keyHash.length && timingSafeEqual(stored, keyHash);
};

const checkKey = (key: ApiKey, id: KeyId, stored: StoredKey): E.Either<InvalidApiKey, Caller> => {
  if (!isHashOf(key, stored.keyHash)) return E.left(invalidApiKey('unknown', id));
  if (stored.revoked_at !== null) return E.left(invalidApiKey('revoked', id));
  if (hasExpired(stored, Date.now())) return E.left(invalidApiKey('expired', id));
  return E.right(stored.caller);
};

/**
 * Makes the port `Authenticate` on the API keys in the database; app/backend/backend.ts calls it. Once a query has
 * found a valid key, the key is accepted for 2 s without a query, even while the database fails. After that, the port
 * fails with Unavailable if the query fails.
 */
export const knexAuthenticate = (database: StoreDatabase): Authenticate => {
  const trusted = new LRUCache<string, StoredKey>({ max: maxTrusted, ttl: databaseTimeouts.keyTrustMs });
  const readKey = createBatcher({
    concurrency: database.concurrency.reads,
    maxBatchSize,
    timeoutMs: databaseTimeouts.keyQueryMs,
    runBatch: readKeys(database),
  });

  return (key, deadline) => async () => {
    const id = keyIdOf(key);
    if (!KeyId.is(id)) return E.left(invalidApiKey('unknown'));
    const known = trusted.get(id);
    if (known !== undefined) return checkKey(key, id, known);
    const read = await readKey(id, deadline)();
    if (E.isLeft(read)) return read;
    if (read.right.revoked_at === null) trusted.set(id, read.right);
    return checkKey(key, id, read.right);
  };
};
