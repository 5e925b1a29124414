import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { timingSafeEqual } from 'node:crypto';
import {
  type ApiKey,
  type Authenticate,
  type Deadline,
  type InvalidApiKey,
  invalidApiKey,
  KeyId,
} from '../../../core';
import type { ApiKeyRow } from './api-key-rows';
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

/** A key as the database has it: without a digest none of this id is valid. */
interface StoredKey {
  readonly digest: Buffer | undefined;
}

const readKeys =
  (reads: Knex) =>
  async (ids: ReadonlyArray<KeyId>): Promise<ReadonlyArray<StoredKey>> => {
    const rows = await reads<ApiKeyRow>('api_keys')
      .select('id', 'digest')
      .whereIn('id', ids)
      .whereNull('revoked_at');
    const digests = new Map<string, Buffer>(rows.map(({ id, digest }) => [id, Buffer.from(digest, 'hex')]));
    return ids.map((id) => ({ digest: digests.get(id) }));
  };

const isDigestOf = (key: ApiKey, stored: Buffer): boolean => {
  const digest = digestOf(key);
  return stored.length === digest.length && timingSafeEqual(stored, digest);
};

/** The auth port on the keys in the database. Without the database nobody new is let in. */
export const knexAuthenticate = ({ reads, lanes }: Database): Authenticate => {
  const trusted = new LRUCache<string, Buffer>({ max: mostTrusted, ttl: trustedForMs });
  const readKey = batchWhileBusy({ lanes: lanes.reads, maxBatchSize, timeoutMs, runBatch: readKeys(reads) });

  const readAndTrust = async (id: KeyId, deadline: Deadline | undefined): Promise<Buffer | undefined> => {
    const { digest } = await readKey(id, deadline);
    if (digest !== undefined) trusted.set(id, digest);
    return digest;
  };

  return (key, deadline) => {
    const id = keyIdOf(key);
    if (!KeyId.is(id)) return TE.left(invalidApiKey);
    const check = (digest: Buffer | undefined): E.Either<InvalidApiKey, KeyId> =>
      digest !== undefined && isDigestOf(key, digest) ? E.right(id) : E.left(invalidApiKey);
    const known = trusted.get(id);
    return known === undefined
      ? attemptEither(async () => check(await readAndTrust(id, deadline)))
      : TE.fromEither(check(known));
  };
};
