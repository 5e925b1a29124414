import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
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
  type Unavailable,
} from '../../../core';
import type { ApiKeyRow } from './api-key-rows';
import { attemptEither } from '../database/attempt';
import { batchWhileBusy } from '../batching/batch-while-busy';
import type { Database } from '../database/database';
import { digestOf, keyIdOf } from './key-format';

/** How long a key is taken as valid without asking the database again, in milliseconds of a clock that never jumps. */
const trustedFor = 2_000;

/** How long to wait for the database; with `trustedFor` it keeps a revoked key out within 5 seconds. */
const timeoutMs = 2_500;

const mostTrusted = 10_000;
const maxBatchSize = 400;

const readDigests =
  (reads: Knex) =>
  async (ids: ReadonlyArray<string>): Promise<ReadonlyArray<E.Either<InvalidApiKey, Buffer>>> => {
    const rows = await reads<ApiKeyRow>('api_keys')
      .select('id', 'digest')
      .whereIn('id', [...new Set(ids)])
      .whereNull('revoked_at');
    const digests = new Map(rows.map(({ id, digest }) => [id, Buffer.from(digest, 'hex')]));
    return ids.map((id) => pipe(digests.get(id), E.fromNullable(invalidApiKey)));
  };

const idIn = (key: ApiKey): E.Either<InvalidApiKey, KeyId> =>
  pipe(
    keyIdOf(key),
    E.fromPredicate(KeyId.is, () => invalidApiKey),
  );

const isDigestOf = (key: ApiKey, digest: Buffer): boolean => timingSafeEqual(digest, digestOf(key));

/** The auth port on the keys in the database. Without the database nobody new is let in. */
export const knexAuthenticate = ({ reads, lanes }: Database): Authenticate => {
  const trusted = new LRUCache<string, Buffer>({ max: mostTrusted, ttl: trustedFor });
  const readDigest = batchWhileBusy({
    lanes: lanes.reads,
    maxBatchSize,
    timeoutMs,
    runBatch: readDigests(reads),
  });

  const readAndTrust = async (
    id: KeyId,
    deadline: Deadline | undefined,
  ): Promise<E.Either<InvalidApiKey | Unavailable, Buffer>> => {
    const read = await attemptEither(() => readDigest(id, deadline))();
    if (E.isRight(read)) trusted.set(id, read.right);
    return read;
  };

  const authenticateAs = (id: KeyId, key: ApiKey, deadline?: Deadline): ReturnType<Authenticate> => {
    const check = (digest: Buffer): E.Either<InvalidApiKey, KeyId> =>
      isDigestOf(key, digest) ? E.right(id) : E.left(invalidApiKey);
    const known = trusted.get(id);
    if (known !== undefined) return TE.fromEither(check(known));
    return async () => {
      const read = await readAndTrust(id, deadline);
      return E.isLeft(read) ? read : check(read.right);
    };
  };

  return (key, deadline) =>
    pipe(
      idIn(key),
      E.matchW(TE.left, (id) => authenticateAs(id, key, deadline)),
    );
};
