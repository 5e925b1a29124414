import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
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
import { type ApiKeyRow, hasExpired } from './api-key-rows';
import { attemptEither } from '../database/attempt';
import { batchWhileBusy } from '../batching/batch-while-busy';
import type { Database } from '../database/database';
import { digestOf, keyIdOf } from './key-format';

/** How long a key is taken as valid without asking the database again, in milliseconds of a clock that never jumps. */
const trustedForMs = 2_000;

/** How long to wait for the database; with `trustedForMs` it keeps a revoked key out within 5 seconds. */
const timeoutMs = 2_500;

const mostTrusted = 10_000;
const maxBatchSize = 400;

/** A key as the database has it. */
interface StoredKey {
  readonly caller: Caller;
  readonly digest: Buffer;
  readonly expires_at: string | null;
}

const readKeys =
  (reads: Knex) =>
  async (ids: ReadonlyArray<KeyId>): Promise<ReadonlyArray<O.Option<StoredKey>>> => {
    const rows = await reads<ApiKeyRow>('api_keys')
      .select('id', 'owner', 'digest', 'expires_at')
      .whereIn('id', ids)
      .whereNull('revoked_at');
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) =>
      pipe(
        O.fromNullable(byId.get(id)),
        O.map(({ owner, digest, expires_at }) => ({
          caller: callerOf(id, OwnerId.is(owner) ? owner : undefined),
          digest: Buffer.from(digest, 'hex'),
          expires_at,
        })),
      ),
    );
  };

const isDigestOf = (key: ApiKey, stored: Buffer): boolean => {
  const digest = digestOf(key);
  return stored.length === digest.length && timingSafeEqual(stored, digest);
};

/** The auth port on the keys in the database. Without the database only keys that were valid a moment ago are accepted. */
export const knexAuthenticate = ({ reads, lanes }: Database): Authenticate => {
  const trusted = new LRUCache<string, StoredKey>({ max: mostTrusted, ttl: trustedForMs });
  const readKey = batchWhileBusy({ lanes: lanes.reads, maxBatchSize, timeoutMs, runBatch: readKeys(reads) });

  const readAndTrust = async (id: KeyId, deadline: Deadline | undefined): Promise<StoredKey | undefined> => {
    const stored = O.toUndefined(await readKey(id, deadline));
    if (stored !== undefined) trusted.set(id, stored);
    return stored;
  };

  return (key, deadline) => {
    const id = keyIdOf(key);
    if (!KeyId.is(id)) return TE.left(invalidApiKey);
    return attemptEither(async () => {
      const stored = trusted.get(id) ?? (await readAndTrust(id, deadline));
      return stored !== undefined && isDigestOf(key, stored.digest) && !hasExpired(stored, Date.now())
        ? E.right(stored.caller)
        : E.left(invalidApiKey);
    });
  };
};
