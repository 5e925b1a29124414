import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import type { ApiKey, Unavailable } from '../../../core';
import { toTaskEither, eitherToTaskEither } from '../database/errors';
import type { StoreDatabase } from '../database/store-database';
import { type ApiKeyRow, hashOf, isValid, newApiKey } from './authenticate';

export interface ApiKeyRecord {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly lastFour: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly expiresAt: string | null;
  readonly isValid: boolean;
}

export interface IssuedApiKey extends ApiKeyRecord {
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
 * The old key stays valid for `graceMs`, unless it expires earlier. By default, the new key gets the lifetime of the old
 * key.
 */
export interface RotateOptions {
  readonly graceMs: number;
  readonly lifetimeMs?: number | undefined;
}

/**
 * Issues, lists, rotates and revokes the API keys in the database. A key that is issued without a `lifetimeMs` does
 * not expire. Rotated keys keep their owner. A second `revoke` of a key changes nothing. Times in the
 * records are ISO 8601 in UTC, such as `2030-01-31T12:00:00.000Z`. A call fails with Unavailable if the database
 * rejects a statement or does not answer.
 */
export interface ApiKeyStore {
  readonly issue: (
    name: string,
    options?: { readonly lifetimeMs?: number | undefined },
  ) => TaskEither<Unavailable, IssuedApiKey>;
  /**
   * Issues a key if none was ever issued, and otherwise returns undefined. If several processes call it at once, only
   * one gets a key.
   */
  readonly bootstrapKey: (name: string) => TaskEither<Unavailable, IssuedApiKey | undefined>;
  readonly rotate: (
    id: string,
    options: RotateOptions,
  ) => TaskEither<ApiKeyNotFound | ApiKeyRevoked | Unavailable, IssuedApiKey>;
  readonly list: TaskEither<Unavailable, ReadonlyArray<ApiKeyRecord>>;
  readonly revoke: (id: string) => TaskEither<ApiKeyNotFound | Unavailable, ApiKeyRecord>;
}

const toRecord = (row: ApiKeyRow): ApiKeyRecord => ({
  id: row.id,
  ownerId: row.owner_id,
  name: row.name,
  lastFour: row.last_four,
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
  expiresAt: row.expires_at,
  isValid: isValid(row, Date.now()),
});

const toIsoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

const insertKey = async (
  writes: Knex,
  name: string,
  lifetimeMs: number | null,
  ownerId?: string,
): Promise<IssuedApiKey> => {
  const { id, key } = newApiKey();
  const now = Date.now();
  const row: ApiKeyRow = {
    id,
    owner_id: ownerId ?? id,
    name,
    digest: hashOf(key).toString('hex'),
    last_four: key.slice(-4),
    created_at: toIsoTime(now),
    revoked_at: null,
    expires_at: lifetimeMs === null ? null : toIsoTime(now + lifetimeMs),
    lifetime_ms: lifetimeMs,
  };
  await writes('api_keys').insert(row);
  return { ...toRecord(row), key };
};

const endAfter = async (writes: Knex, id: string, graceMs: number): Promise<void> => {
  const end = toIsoTime(Date.now() + graceMs);
  await writes<ApiKeyRow>('api_keys')
    .where({ id, revoked_at: null })
    .whereRaw('(expires_at is null or expires_at > ?)', [end])
    .update({ expires_at: end });
};

const lifetimeOf = ({ lifetime_ms }: ApiKeyRow): number | null =>
  lifetime_ms === null ? null : Number(lifetime_ms);

const keyNotFound = (id: string) => E.left<ApiKeyNotFound>({ _tag: 'ApiKeyNotFound', id });

const rotate = async (
  transaction: Knex,
  id: string,
  { graceMs, lifetimeMs }: RotateOptions,
): Promise<E.Either<ApiKeyNotFound | ApiKeyRevoked, IssuedApiKey>> => {
  // Writes before it reads. On SQLite, a transaction that begins with a read can't write once another connection has
  // written.
  await endAfter(transaction, id, graceMs);
  const row = await transaction<ApiKeyRow>('api_keys').where({ id }).first();
  if (row === undefined) return keyNotFound(id);
  if (row.revoked_at !== null) return E.left({ _tag: 'ApiKeyRevoked', id });
  return E.right(await insertKey(transaction, row.name, lifetimeMs ?? lifetimeOf(row), row.owner_id));
};

const hasKey = async (knex: Knex): Promise<boolean> =>
  (await knex<ApiKeyRow>('api_keys').first('id')) !== undefined;

/**
 * Returns the store of the API keys in a migrated database. app/backend/backend.ts calls it for the first key, and
 * app/backend/database.ts for the command `keys`.
 */
export const apiKeyStore = ({
  reads,
  write,
  transaction,
  withMigrationLock,
}: StoreDatabase): ApiKeyStore => ({
  issue: (name, { lifetimeMs = null } = {}) =>
    toTaskEither(() => write((writes) => insertKey(writes, name, lifetimeMs))),
  bootstrapKey: (name) =>
    toTaskEither(async () => {
      // Reads without the migration lock first, because a long migration may hold that lock.
      if (await hasKey(reads)) return undefined;
      return withMigrationLock(async (writes) =>
        (await hasKey(writes)) ? undefined : insertKey(writes, name, null),
      );
    }),
  rotate: (id, options) => eitherToTaskEither(() => transaction((writes) => rotate(writes, id, options))),
  list: toTaskEither(async () => {
    const rows = await reads<ApiKeyRow>('api_keys').select('*').orderBy(['created_at', 'id']);
    return rows.map(toRecord);
  }),
  revoke: (id) =>
    eitherToTaskEither(async () => {
      const row = await write(async (writes) => {
        await writes<ApiKeyRow>('api_keys')
          .where({ id, revoked_at: null })
          .update({ revoked_at: toIsoTime(Date.now()) });
        return writes<ApiKeyRow>('api_keys').where({ id }).first();
      });
      return row === undefined ? keyNotFound(id) : E.right(toRecord(row));
    }),
});
