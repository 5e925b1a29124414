import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  ApiKey,
  type ApiKeyTimes,
  type Authenticate,
  type Caller,
  callerOf,
  decodeOrThrow,
  type InvalidApiKey,
  invalidApiKey,
  KeyId,
  OwnerId,
  rejectionOf,
} from '../../../core';
import { createBatcher } from '../batcher';
import type { StoreDatabase } from '../database/store-database';
import { databaseTimeouts } from '../timeouts';
import { type ApiKeyRow, numberOf, timesOf } from './api-key-row';
import { useRecorder } from './record-use';

const format = /^animals_([0-9a-f]{16})_[\w-]{43}$/;

export const newApiKey = (): { readonly id: string; readonly key: ApiKey } => {
  const id = randomBytes(8).toString('hex');
  return { id, key: decodeOrThrow(ApiKey, `animals_${id}_${randomBytes(32).toString('base64url')}`) };
};

const keyIdOf = (key: string): string | undefined => format.exec(key)?.[1];

export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer');

const maxTrusted = 10_000;
const maxBatchSize = 400;

interface StoredKey {
  readonly caller: Caller;
  readonly keyHash: Buffer;
  readonly times: ApiKeyTimes;
  readonly lastUsedAt: number | null;
}

const toStoredKey = (id: KeyId, row: ApiKeyRow): StoredKey => ({
  caller: callerOf(id, OwnerId.is(row.owner_id) ? row.owner_id : undefined, {
    isReadOnly: row.access !== 'full',
  }),
  keyHash: Buffer.from(row.hash, 'hex'),
  times: timesOf(row),
  lastUsedAt: numberOf(row.last_used_at),
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

const checkKey = (
  key: ApiKey,
  id: KeyId,
  { keyHash, times, caller }: StoredKey,
): E.Either<InvalidApiKey, Caller> => {
  const rejection = isHashOf(key, keyHash) ? rejectionOf(times, Date.now()) : 'unknown';
  return rejection === undefined ? E.right(caller) : E.left(invalidApiKey(rejection, id));
};

/**
 * Makes the port `Authenticate` on the API keys in the database. After a query has found a valid key, the port accepts
 * the key for 2 s without a query, even while the database fails. Otherwise it fails with Unavailable if the query
 * fails. Records the use of a key at most once an hour, but not in a host's transaction.
 */
export const knexAuthenticate = (database: StoreDatabase): Authenticate => {
  const trusted = new LRUCache<string, StoredKey>({ max: maxTrusted, ttl: databaseTimeouts.keyTrustMs });
  const readKey = createBatcher({
    concurrency: database.concurrency.reads,
    maxBatchSize,
    timeoutMs: databaseTimeouts.keyQueryMs,
    runBatch: readKeys(database),
  });
  const recordUse = useRecorder(database);

  return (key, deadline) => async () => {
    const id = keyIdOf(key);
    if (!KeyId.is(id)) return E.left(invalidApiKey('unknown'));
    const known = trusted.get(id);
    if (known !== undefined) return checkKey(key, id, known);
    const read = await readKey(id, deadline)();
    if (E.isLeft(read)) return read;
    if (read.right.times.revokedAt === null) trusted.set(id, read.right);
    const checked = checkKey(key, id, read.right);
    if (E.isRight(checked)) recordUse(id, read.right.lastUsedAt);
    return checked;
  };
};
