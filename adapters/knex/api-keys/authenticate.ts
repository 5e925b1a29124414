import * as E from 'fp-ts/Either';
import { constVoid } from 'fp-ts/function';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { timingSafeEqual } from 'node:crypto';
import {
  type ApiKey,
  type ApiKeyTimes,
  type Authenticate,
  type Caller,
  callerOf,
  type InvalidApiKey,
  invalidApiKey,
  KeyId,
  OwnerId,
  rejectionOf,
  type Unavailable,
} from '../../../core';
import { createBatcher } from '../batcher';
import { DiagnosedError } from '../database/errors';
import type { Statements, StoreDatabase } from '../database/store-database';
import { databaseTimeouts } from '../database/timeouts';
import { toEither } from '../database/work';
import { type ApiKeyRow, hashOf, keyIdOf, numberOf, timesOf } from './api-key-rows';

const maxTrusted = 10_000;

interface StoredKey {
  readonly caller: Caller;
  readonly keyHash: Buffer;
  readonly times: ApiKeyTimes;
  readonly lastUsedAt: number | null;
  /** Returns the database's current time, computed from the time at which the key was read. */
  readonly now: () => number;
}

const toStoredKey = (id: KeyId, row: ApiKeyRow, now: () => number): StoredKey => {
  if (!OwnerId.is(row.owner_id))
    throw new DiagnosedError(`the row with id ${id} in table api_keys has an invalid owner_id; correct it`);
  return {
    caller: callerOf(id, row.owner_id, { isReadOnly: row.access !== 'full' }),
    keyHash: Buffer.from(row.hash, 'hex'),
    times: timesOf(row),
    lastUsedAt: numberOf(row.last_used_at),
    now,
  };
};

/** Row of an API key, with the database's time when the row was read. */
type KeyRead = ApiKeyRow & { readonly now: number | string };

/** Reads API keys in one statement. Returns a key or a failure for each id, in the order of `ids`. */
const readKeys = async (
  { readPool, statements: { nowSql, acceptsWritesSql } }: StoreDatabase,
  ids: ReadonlyArray<KeyId>,
): Promise<ReadonlyArray<E.Either<InvalidApiKey | Unavailable, StoredKey>>> => {
  const askedAt = performance.now();
  const rows = await readPool<ApiKeyRow>('api_keys')
    .whereIn('id', ids)
    .whereRaw(acceptsWritesSql)
    .select<ReadonlyArray<KeyRead>>('*', readPool.raw(`${nowSql} as now`));
  // Adds the time since before the query, so that this clock is never behind the database's and no expired key is
  // accepted.
  const now = (): number => Number(rows[0]?.now) + performance.now() - askedAt;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    return row === undefined
      ? E.left(invalidApiKey('unknown', id))
      : toEither(() => toStoredKey(id, row, now));
  });
};

const isHashOf = (key: ApiKey, stored: Buffer): boolean => {
  const keyHash = hashOf(key);
  return stored.length === keyHash.length && timingSafeEqual(stored, keyHash);
};

const checkStoredKey = (
  key: ApiKey,
  id: KeyId,
  { keyHash, times, caller, now }: StoredKey,
): E.Either<InvalidApiKey, Caller> => {
  const rejection = isHashOf(key, keyHash) ? rejectionOf(times, now()) : 'unknown';
  return rejection === undefined ? E.right(caller) : E.left(invalidApiKey(rejection, id));
};

const hourMs = 3_600_000;

const retryMs = 60_000;

const maxRememberedUses = 10_000;

/** Records the use of keys, except of those whose use was recorded within the last hour. */
export const recordUses = async (
  knex: Knex,
  { nowSql }: Statements,
  ids: ReadonlyArray<KeyId>,
): Promise<number> =>
  knex<ApiKeyRow>('api_keys')
    .whereIn('id', ids)
    .whereRaw(`coalesce(last_used_at, 0) <= ${nowSql} - ?`, [hourMs])
    .update({ last_used_at: knex.raw(nowSql) });

/**
 * Makes a function that records the use of a key at most once an hour across all instances. It returns at once, ignores
 * a failed write, and tries again after a minute. In a host's transaction it does nothing, because a failed statement
 * would abort that transaction.
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
      await write((pool) => recordUses(pool, statements, ids));
      return ids.map(() => E.right(undefined));
    },
  });
  return (id, key) => {
    if (key.now() - (key.lastUsedAt ?? 0) < hourMs || attempted.has(id)) return;
    attempted.set(id, true);
    void record(id)();
  };
};

/**
 * Implements the port `Authenticate` with the API keys in the database. Caches the row of an unrevoked key for 2 s, so
 * a key may be accepted for 2 s after it is revoked. Records the use of a key at most once an hour.
 */
export const knexAuthenticate = (database: StoreDatabase): Authenticate => {
  const trusted = new LRUCache<string, StoredKey>({
    max: maxTrusted,
    ttl: databaseTimeouts.keyTrustMs,
    // Otherwise a timer updates the clock of the cache, and may be late while the service is busy.
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
