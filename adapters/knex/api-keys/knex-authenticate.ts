import * as E from 'fp-ts/Either';
import * as O from 'fp-ts/Option';
import * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { timingSafeEqual } from 'node:crypto';
import {
  type ApiKey,
  type Authenticate,
  type Caller,
  callerOf,
  type Deadline,
  invalidApiKey,
  KeyId,
  OwnerId,
} from '../../../core';
import { createBatcher } from '../batcher';
import { eitherToTaskEither } from '../database/errors';
import type { Database } from '../database/database';
import { type ApiKeyRow, digestOf, hasExpired, keyIdOf } from './stored-key';
import { databaseTimeouts } from '../../../core/timeouts';

const maxTrusted = 10_000;
const maxBatchSize = 400;

interface StoredKey {
  readonly caller: Caller;
  readonly digest: Buffer;
  readonly revoked_at: string | null;
  readonly expires_at: string | null;
}

const toStoredKey = (id: KeyId, { owner_id, digest, revoked_at, expires_at }: ApiKeyRow): StoredKey => ({
  caller: callerOf(id, OwnerId.is(owner_id) ? owner_id : undefined),
  digest: Buffer.from(digest, 'hex'),
  revoked_at,
  expires_at,
});

const readKeys =
  (reads: Knex) =>
  async (ids: ReadonlyArray<KeyId>): Promise<ReadonlyArray<O.Option<StoredKey>>> => {
    const rows = await reads<ApiKeyRow>('api_keys').whereIn('id', ids).select('*');
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = byId.get(id);
      return row === undefined ? O.none : O.some(toStoredKey(id, row));
    });
  };

const isDigestOf = (key: ApiKey, stored: Buffer): boolean => {
  const digest = digestOf(key);
  return stored.length === digest.length && timingSafeEqual(stored, digest);
};

/**
 * Authenticates by the keys in the database. Accepts a valid key from a cache for 2 seconds after its query, even while
 * the database fails.
 */
export const knexAuthenticate = ({ reads, concurrency }: Database): Authenticate => {
  const trusted = new LRUCache<string, StoredKey>({ max: maxTrusted, ttl: databaseTimeouts.keyTrustMs });
  const readKey = createBatcher({
    concurrency: concurrency.reads,
    maxBatchSize,
    timeoutMs: databaseTimeouts.keyQueryMs,
    runBatch: readKeys(reads),
  });

  const readAndTrust = async (id: KeyId, deadline: Deadline | undefined): Promise<StoredKey | undefined> => {
    const stored = O.toUndefined(await readKey(id, deadline));
    if (stored?.revoked_at === null) trusted.set(id, stored);
    return stored;
  };

  return (key, deadline) => {
    const id = keyIdOf(key);
    if (!KeyId.is(id)) return TE.left(invalidApiKey('unknown'));
    return eitherToTaskEither(async () => {
      const stored = trusted.get(id) ?? (await readAndTrust(id, deadline));
      if (stored === undefined || !isDigestOf(key, stored.digest))
        return E.left(invalidApiKey('unknown', id));
      if (stored.revoked_at !== null) return E.left(invalidApiKey('revoked', id));
      if (hasExpired(stored, Date.now())) return E.left(invalidApiKey('expired', id));
      return E.right(stored.caller);
    });
  };
};
