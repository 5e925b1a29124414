/* Format of API keys, rows of the table `api_keys`, and the statements that read keys and record their use. */

import * as E from 'fp-ts/Either';
import { hash, randomBytes } from 'node:crypto';
import {
  ApiKey,
  type ApiKeyTimes,
  type Caller,
  callerOf,
  decodeOrThrow,
  type InvalidApiKey,
  invalidApiKey,
  type KeyId,
  OwnerId,
  type Unavailable,
} from '../../../core';
import { DiagnosedError, toEither } from '../database/errors';
import type { Connection, StoreDatabase } from '../database/store-database';

const format = /^animals_([0-9a-f]{16})_[\w-]{43}$/;

export const newApiKey = (): { readonly id: string; readonly key: ApiKey } => {
  const id = randomBytes(8).toString('hex');
  return { id, key: decodeOrThrow(ApiKey, `animals_${id}_${randomBytes(32).toString('base64url')}`) };
};

export const keyIdOf = (key: string): string | undefined => format.exec(key)?.[1];

export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer');

/** Row of the table `api_keys`. Times are milliseconds since 1970, which PostgreSQL's driver returns as strings. */
export interface ApiKeyRow {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  /** SHA-256 of the key in hexadecimal digits. A key has 256 random bits, so it needs no slow password hash. */
  readonly hash: string;
  readonly last_four: string;
  readonly access: 'full' | 'read-only';
  readonly created_at: number | string;
  readonly revoked_at: number | string | null;
  readonly expires_at: number | string | null;
  readonly lifetime_ms: number | string | null;
  /** Time of the last recorded use, or null if the key was never used. A use is recorded at most once an hour. */
  readonly last_used_at: number | string | null;
}

export const numberOf = (value: number | string | null): number | null =>
  value === null ? null : Number(value);

export const timesOf = (row: ApiKeyRow): ApiKeyTimes => ({
  createdAt: Number(row.created_at),
  revokedAt: numberOf(row.revoked_at),
  expiresAt: numberOf(row.expires_at),
  lifetimeMs: numberOf(row.lifetime_ms),
});

export interface StoredKey {
  readonly caller: Caller;
  readonly keyHash: Buffer;
  readonly times: ApiKeyTimes;
  readonly lastUsedAt: number | null;
  /** Returns the database's current time, computed from the time at which the key was read. */
  readonly now: () => number;
}

export const invalidOwnerText = (id: string): string =>
  `the row with id ${id} in table api_keys has an invalid owner_id; correct it`;

const toStoredKey = (id: KeyId, row: ApiKeyRow, now: () => number): StoredKey => {
  if (!OwnerId.is(row.owner_id)) throw new DiagnosedError(invalidOwnerText(id));
  return {
    caller: callerOf(id, row.owner_id, { isReadOnly: row.access !== 'full' }),
    keyHash: Buffer.from(row.hash, 'hex'),
    times: timesOf(row),
    lastUsedAt: numberOf(row.last_used_at),
    now,
  };
};

type KeyRead = ApiKeyRow & { readonly now: number | string };

/** Reads API keys in one statement. Returns a key or a failure for each id, in the order of `ids`. */
export const readKeys = async (
  { readPool, statements: { nowSql, acceptsWritesSql } }: StoreDatabase,
  ids: ReadonlyArray<KeyId>,
): Promise<ReadonlyArray<E.Either<InvalidApiKey | Unavailable, StoredKey>>> => {
  const askedAt = performance.now();
  const rows = await readPool<ApiKeyRow>('api_keys')
    .whereIn('id', ids)
    .whereRaw(acceptsWritesSql)
    .select<ReadonlyArray<KeyRead>>('*', readPool.raw(`${nowSql} as now`));
  // Adds the time since before the query. The result may be ahead of the database's clock, but is never behind it, so
  // no expired key is accepted.
  const now = (): number => Number(rows[0]?.now) + performance.now() - askedAt;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    return row === undefined
      ? E.left(invalidApiKey('unknown', id))
      : toEither(() => toStoredKey(id, row, now));
  });
};

/** Minimum time between two records of a key's use. */
export const useIntervalMs = 3_600_000;

/** Records that keys are used now, except keys whose last recorded use is less than `useIntervalMs` ago. */
export const recordUses = async (
  { knex, statements: { nowSql } }: Connection,
  ids: ReadonlyArray<KeyId>,
): Promise<number> =>
  knex<ApiKeyRow>('api_keys')
    .whereIn('id', ids)
    .whereRaw(`coalesce(last_used_at, 0) <= ${nowSql} - ?`, [useIntervalMs])
    .update({ last_used_at: knex.raw(nowSql) });
