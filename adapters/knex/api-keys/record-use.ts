import { constVoid } from 'fp-ts/function';
import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import type { KeyId } from '../../../core';
import { createBatcher } from '../batcher';
import type { StoreDatabase } from '../database/store-database';
import { databaseTimeouts } from '../timeouts';
import type { ApiKeyRow } from './api-key-row';

const hourMs = 3_600_000;

const retryMs = 60_000;

const maxAttempts = 10_000;

const maxBatchSize = 400;

/**
 * Makes a function that records the use of a key if the last recorded one is an hour ago, once on all instances
 * together. It returns at once, and never fails. After a failure, it records the next use after a minute. Records
 * nothing in a host's transaction, which a failed statement would abort.
 */
export const useRecorder = ({
  write,
  writes,
}: StoreDatabase): ((id: KeyId, lastUsedAt: number | null) => void) => {
  if (writes.isTransaction === true) return constVoid;
  const attempted = new LRUCache<KeyId, true>({ max: maxAttempts, ttl: retryMs });
  const record = createBatcher({
    concurrency: 1,
    maxBatchSize,
    timeoutMs: databaseTimeouts.callMs,
    runBatch: async (ids: ReadonlyArray<KeyId>) => {
      const now = Date.now();
      await write((writes) =>
        writes<ApiKeyRow>('api_keys')
          .whereIn('id', ids)
          .whereRaw('coalesce(last_used_at, 0) <= ?', [now - hourMs])
          .update({ last_used_at: now }),
      );
      return ids.map(() => E.right(undefined));
    },
  });
  return (id, lastUsedAt) => {
    if (Date.now() - (lastUsedAt ?? 0) < hourMs || attempted.has(id)) return;
    attempted.set(id, true);
    void record(id)();
  };
};
