import type { TaskEither } from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import type { ApiKey, Unavailable } from '../../../core';
import { type ApiKeyRow, isValid } from './api-key-rows';
import { attempt } from '../database/attempt';
import type { Database } from '../database/database';
import { digestOf, newApiKey } from './key-format';

/** What is known of an issued key. The key itself is not. */
export interface ApiKeyRecord {
  readonly id: string;
  /** Whose key it is: the id of the first key of those that followed each other by rotation. */
  readonly owner: string;
  readonly name: string;
  readonly lastFour: string;
  /** ISO 8601, in UTC. */
  readonly created: string;
  readonly revoked: string | null;
  /** When it ends by itself; null never. */
  readonly expires: string | null;
  /** Whether it was valid at the time of the record. */
  readonly isValid: boolean;
}

/** A key at the one moment at which it can be seen. */
export interface IssuedApiKey extends ApiKeyRecord {
  readonly key: ApiKey;
}

/** How the operator of a store issues, lists, rotates and revokes the keys that the database holds. */
export interface ApiKeyRegister {
  /** Issues a key to a new owner of this name. It ends after so many milliseconds, or never. */
  readonly issue: (name: string, validForMs?: number) => TaskEither<Unavailable, IssuedApiKey>;
  /** Issues a key only if there never was one; however many processes ask at once, one gets it. */
  readonly issueFirst: (name: string) => TaskEither<Unavailable, IssuedApiKey | undefined>;
  /**
   * Issues a successor of a key, to the same owner under the same name, and has the old key end after the grace, in
   * milliseconds, if it doesn't end before. Undefined when no key has this id.
   */
  readonly rotate: (
    id: string,
    graceMs: number,
    validForMs?: number,
  ) => TaskEither<Unavailable, IssuedApiKey | undefined>;
  /** By when they were made. */
  readonly list: TaskEither<Unavailable, ReadonlyArray<ApiKeyRecord>>;
  /** Answers with the revoked key's record, or with undefined when no key has this id. */
  readonly revoke: (id: string) => TaskEither<Unavailable, ApiKeyRecord | undefined>;
}

const ownerOf = ({ id, owner }: Pick<ApiKeyRow, 'id' | 'owner'>): string => owner ?? id;

const toRecord = (row: ApiKeyRow): ApiKeyRecord => ({
  id: row.id,
  owner: ownerOf(row),
  name: row.name,
  lastFour: row.last_four,
  created: row.created_at,
  revoked: row.revoked_at,
  expires: row.expires_at,
  isValid: isValid(row, Date.now()),
});

const after = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();

const issue = async (
  writes: Knex,
  { name, owner }: { readonly name: string; readonly owner?: string },
  validForMs?: number,
): Promise<IssuedApiKey> => {
  const { id, key } = newApiKey();
  const row: ApiKeyRow = {
    id,
    owner: owner ?? id,
    name,
    digest: digestOf(key).toString('hex'),
    last_four: key.slice(-4),
    created_at: after(0),
    revoked_at: null,
    expires_at: validForMs === undefined ? null : after(validForMs),
  };
  await writes('api_keys').insert(row);
  return { ...toRecord(row), key };
};

const endAfter = async (writes: Knex, id: string, graceMs: number): Promise<void> => {
  const end = after(graceMs);
  await writes<ApiKeyRow>('api_keys')
    .where({ id })
    .whereRaw('(expires_at is null or expires_at > ?)', [end])
    .update({ expires_at: end });
};

const hasKey = async (knex: Knex): Promise<boolean> =>
  (await knex<ApiKeyRow>('api_keys').first('id')) !== undefined;

/** The register of the keys that a migrated database holds. Each operation can fail as Unavailable. */
export const apiKeyRegister = ({ reads, writes, withMigrationLock }: Database): ApiKeyRegister => ({
  issue: (name, validForMs) => attempt(() => issue(writes, { name }, validForMs)),
  issueFirst: (name) =>
    attempt(async () => {
      // Others may hold the lock for long, and not every role may make its table.
      if (await hasKey(reads)) return undefined;
      return withMigrationLock(async (transaction) =>
        (await hasKey(transaction)) ? undefined : issue(transaction, { name }),
      );
    }),
  rotate: (id, graceMs, validForMs) =>
    attempt(() =>
      writes.transaction(async (transaction) => {
        // It writes before it reads: a SQLite transaction that begins with a read is refused when another has written.
        await endAfter(transaction, id, graceMs);
        const row = await transaction<ApiKeyRow>('api_keys').where({ id }).first();
        return row && issue(transaction, { name: row.name, owner: ownerOf(row) }, validForMs);
      }),
    ),
  list: attempt(async () => {
    const rows = await reads<ApiKeyRow>('api_keys').select('*').orderBy(['created_at', 'id']);
    return rows.map(toRecord);
  }),
  revoke: (id) =>
    attempt(async () => {
      await writes<ApiKeyRow>('api_keys')
        .where({ id, revoked_at: null })
        .update({ revoked_at: after(0) });
      const row = await writes<ApiKeyRow>('api_keys').where({ id }).first();
      return row && toRecord(row);
    }),
});
