import * as E from 'fp-ts/Either';
import { constVoid } from 'fp-ts/function';
import { LRUCache } from 'lru-cache';
import { timingSafeEqual } from 'node:crypto';
import {
  type ApiKey,
  type Authenticate,
  type Caller,
  type InvalidApiKey,
  invalidApiKey,
  KeyId,
  rejectionOf,
} from '../../../core';
import { createBatcher } from '../batcher';
import type { StoreDatabase } from '../database/store-database';
import { databaseTimeouts } from '../database/timeouts';
import { hashOf, keyIdOf, readKeys, recordUses, type StoredKey, useIntervalMs } from './api-key-rows';

const maxTrusted = 10_000;

/**
 * Implements the port `Authenticate` with the API keys in the database. Caches the row of an unrevoked key for 2 s, so
 * a key may be accepted for 2 s after it is revoked. Records the use of a key at most once an hour.
 */
export const knexAuthenticate = (database: StoreDatabase): Authenticate => {
  const trusted = new LRUCache<string, StoredKey>({
    max: maxTrusted,
    ttl: databaseTimeouts.keyTrustMs,
    // Reads the clock at each lookup. By default, the cache sets its clock by a timer, which is late on a busy service.
    ttlResolution: 0,
  });
  const readKey = createBatcher({
    maxBatches: database.maxBatches.reads,
    timeoutMs: databaseTimeouts.keyQueryMs,
    runBatch: (ids: ReadonlyArray<KeyId>) => readKeys(database, ids),
  });
  const recordUse = recorderOfUses(database);

  return (key, deadline) => async () => {
    const id = keyIdOf(key);
    if (!KeyId.is(id)) return E.left(invalidApiKey('unknown'));
    const trustedKey = trusted.get(id);
    if (trustedKey !== undefined) return checkStoredKey(key, id, trustedKey);
    const read = await readKey(id, deadline)();
    if (E.isLeft(read)) return read;
    if (read.right.times.revokedAt === null) trusted.set(id, read.right);
    const checked = checkStoredKey(key, id, read.right);
    if (E.isRight(checked)) recordUse(id, read.right);
    return checked;
  };
};

const checkStoredKey = (
  key: ApiKey,
  id: KeyId,
  { keyHash, times, caller, now }: StoredKey,
): E.Either<InvalidApiKey, Caller> => {
  const rejection = isHashOf(key, keyHash) ? rejectionOf(times, now()) : 'unknown';
  return rejection === undefined ? E.right(caller) : E.left(invalidApiKey(rejection, id));
};

const isHashOf = (key: ApiKey, stored: Buffer): boolean => {
  const keyHash = hashOf(key);
  return stored.length === keyHash.length && timingSafeEqual(stored, keyHash);
};

const retryMs = 60_000;

const maxRememberedUses = 10_000;

/**
 * Makes a function that records the use of a key at most once an hour across all instances. The function returns before
 * the write. It ignores a failed write, and a use a minute later tries again. It does nothing in a transaction of a
 * host (a program that embeds the store), which a failed statement would abort.
 */
const recorderOfUses = ({
  write,
  isHostTransaction,
  statements,
}: StoreDatabase): ((id: KeyId, key: StoredKey) => void) => {
  if (isHostTransaction) return constVoid;
  const attempted = new LRUCache<KeyId, true>({ max: maxRememberedUses, ttl: retryMs });
  const record = createBatcher({
    maxBatches: 1,
    runBatch: async (ids: ReadonlyArray<KeyId>) => {
      await write((knex) => recordUses({ knex, statements }, ids));
      return ids.map(() => E.right(undefined));
    },
  });
  return (id, key) => {
    if (key.now() - (key.lastUsedAt ?? 0) < useIntervalMs || attempted.has(id)) return;
    attempted.set(id, true);
    void record(id)();
  };
};
