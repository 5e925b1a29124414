import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import {
  type ApiKey,
  type ApiKeyTimes,
  isUnused,
  rejectionOf,
  rotateKey,
  type Rotation,
  timesOfNewKey,
  type Unavailable,
} from '../../../core';
import { type Operator, recordKeyChange } from '../record-change';
import { readClock, toIsoTime, toIsoTimeOrNull } from '../database/clock';
import type { OpenedDatabase } from '../database/opened-database';
import type { Connection, StoreDatabase } from '../database/store-database';
import { eitherToTaskEither, toTaskEither } from '../database/errors';
import { tryAndRollBack } from '../database/transactions';
import { type ApiKeyRow, hashOf, newApiKey, numberOf, timesOf } from './api-key-rows';

export interface ApiKeyRecord {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly lastFour: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly expiresAt: string | null;
  /** Time of the last recorded use, or null if the key was never used. A use is recorded at most once an hour. */
  readonly lastUsedAt: string | null;
  readonly isValid: boolean;
  readonly isReadOnly: boolean;
  /** True for a valid key that is at least 30 days old and was not used in the last 30 days. */
  readonly isUnused: boolean;
}

export interface CreatedApiKey extends ApiKeyRecord {
  readonly key: ApiKey;
}

export interface ApiKeyNotFound {
  readonly _tag: 'ApiKeyNotFound';
  readonly id: string;
}

export interface ApiKeyRevoked {
  readonly _tag: 'ApiKeyRevoked';
  readonly id: string;
}

/**
 * Store of API keys in a database. A key that was created without `lifetimeMs` expires only after a rotation. A key
 * with `isReadOnly` can't add animals. A rotation gives the new key the owner and the access of the old one. A second
 * `revoke` of a key changes nothing. Times in the records are ISO 8601 in UTC, such as `2030-01-31T12:00:00.000Z`. A
 * call fails with Unavailable if the database rejects a statement or does not answer.
 */
export interface ApiKeyStore {
  readonly create: (
    name: string,
    options?: { readonly lifetimeMs?: number | undefined; readonly isReadOnly?: boolean },
  ) => TaskEither<Unavailable, CreatedApiKey>;
  /**
   * Creates a key if none was ever created. Otherwise returns undefined. If several processes call this at once, only
   * one gets a key.
   */
  readonly bootstrapKey: (name: string) => TaskEither<Unavailable, CreatedApiKey | undefined>;
  readonly rotate: (
    id: string,
    rotation: Rotation,
  ) => TaskEither<ApiKeyNotFound | ApiKeyRevoked | Unavailable, CreatedApiKey>;
  readonly list: TaskEither<Unavailable, ReadonlyArray<ApiKeyRecord>>;
  readonly revoke: (id: string) => TaskEither<ApiKeyNotFound | Unavailable, ApiKeyRecord>;
}

/** Makes the ApiKeyStore of a migrated database. The change log records `operator` as the author of each change. */
export const apiKeyStore = (
  { readPool, statements, runTransaction, withStoreLock }: StoreDatabase,
  operator?: Operator,
): ApiKeyStore => ({
  create: (name, { lifetimeMs = null, isReadOnly = false } = {}) => {
    const access = isReadOnly ? 'read-only' : 'full';
    return toTaskEither(() =>
      runTransaction(async (knex) => {
        const connection = { knex, statements };
        const now = await readClock(connection);
        return createKey(connection, operator, { name, access }, timesOfNewKey(lifetimeMs, now));
      }),
    );
  },
  bootstrapKey: (name) =>
    toTaskEither(async () => {
      // Looks for a key before it waits for the lock, because a long migration may hold the lock.
      if (await hasKey(readPool)) return undefined;
      return withStoreLock(async (knex) => {
        const connection = { knex, statements };
        const times = timesOfNewKey(null, await readClock(connection));
        return (await hasKey(knex))
          ? undefined
          : createKey(connection, operator, { name, access: 'full' }, times);
      });
    }),
  rotate: (id, rotation) =>
    eitherToTaskEither(() => runTransaction((knex) => rotate({ knex, statements }, operator, id, rotation))),
  list: toTaskEither(async () => {
    const rows = await readPool<ApiKeyRow>('api_keys').select('*').orderBy(['created_at', 'id']);
    const now = await readClock({ knex: readPool, statements });
    return rows.map((row) => toRecord(row, now));
  }),
  revoke: (id) =>
    eitherToTaskEither(() =>
      runTransaction(async (knex) => {
        const connection = { knex, statements };
        const keys = () => knex<ApiKeyRow>('api_keys').where({ id });
        const revoked_at = knex.raw(statements.nowSql);
        const [revoked] = await keys().whereNull('revoked_at').update({ revoked_at }).returning('*');
        if (revoked !== undefined) await recordKeyChange(connection, operator, 'keys revoke', id);
        const row = revoked ?? (await keys().first<ApiKeyRow | undefined>('*'));
        return row === undefined ? keyNotFound(id) : E.right(toRecord(row, await readClock(connection)));
      }),
    ),
});

const toRecord = (row: ApiKeyRow, now: number): ApiKeyRecord => {
  const { createdAt, revokedAt, expiresAt } = timesOf(row);
  const lastUsedAt = numberOf(row.last_used_at);
  const isValid = rejectionOf({ revokedAt, expiresAt }, now) === undefined;
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    lastFour: row.last_four,
    createdAt: toIsoTime(createdAt),
    revokedAt: toIsoTimeOrNull(revokedAt),
    expiresAt: toIsoTimeOrNull(expiresAt),
    lastUsedAt: toIsoTimeOrNull(lastUsedAt),
    isValid,
    isReadOnly: row.access !== 'full',
    isUnused: isValid && isUnused(lastUsedAt ?? createdAt, now),
  };
};

const createKey = async (
  connection: Connection,
  operator: Operator,
  { name, access }: Pick<ApiKeyRow, 'name' | 'access'>,
  times: ApiKeyTimes,
  replaced?: Pick<ApiKeyRow, 'id' | 'owner_id'>,
): Promise<CreatedApiKey> => {
  const { id, key } = newApiKey();
  const row: ApiKeyRow = {
    id,
    owner_id: replaced?.owner_id ?? id,
    name,
    hash: hashOf(key).toString('hex'),
    last_four: key.slice(-4),
    access,
    created_at: times.createdAt,
    revoked_at: times.revokedAt,
    expires_at: times.expiresAt,
    lifetime_ms: times.lifetimeMs,
    last_used_at: null,
  };
  await connection.knex('api_keys').insert(row);
  await recordKeyChange(connection, operator, 'keys create', id, replaced?.id);
  return { ...toRecord(row, times.createdAt), key };
};

const rotate = async (
  connection: Connection,
  operator: Operator,
  id: string,
  rotation: Rotation,
): Promise<E.Either<ApiKeyNotFound | ApiKeyRevoked, CreatedApiKey>> => {
  const keys = () => connection.knex<ApiKeyRow>('api_keys').where({ id });
  // Reads the row by an update, which also locks it. A SQLite transaction that reads first may be unable to write.
  const [row] = await keys().update({ id }).returning('*');
  if (row === undefined) return keyNotFound(id);
  const rotated = rotateKey(timesOf(row), rotation, await readClock(connection));
  if (E.isLeft(rotated)) return E.left({ _tag: 'ApiKeyRevoked', id });
  const { oldExpiresAt, newTimes } = rotated.right;
  await keys().update({ expires_at: oldExpiresAt });
  await recordKeyChange(connection, operator, 'keys rotate', id);
  return E.right(await createKey(connection, operator, row, newTimes, row));
};

const keyNotFound = (id: string) => E.left<ApiKeyNotFound>({ _tag: 'ApiKeyNotFound', id });

const hasKey = async (knex: Knex): Promise<boolean> =>
  (await knex<ApiKeyRow>('api_keys').first('id')) !== undefined;

/** Creates a key and rolls it back. Fails if the database would reject the creation of a key. */
export const tryCreateKey = ({
  writePool,
  statements,
}: OpenedDatabase): TaskEither<Unavailable, CreatedApiKey> =>
  toTaskEither(() =>
    tryAndRollBack(writePool, (knex) =>
      createKey({ knex, statements }, undefined, { name: '', access: 'full' }, timesOfNewKey(null, 0)),
    ),
  );
