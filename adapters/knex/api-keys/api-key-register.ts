import type { TaskEither } from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import type { Unavailable } from '../../../core';
import type { ApiKeyRow } from './api-key-rows';
import { attempt } from '../database/attempt';
import type { Database } from '../database/database';
import { digestOf, newApiKey } from './key-format';

/** What is known of an issued key. The key itself is not. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly lastFour: string;
  /** ISO 8601, in UTC. */
  readonly created: string;
  readonly revoked: string | null;
}

/** A key at the one moment at which it can be seen. */
export interface IssuedApiKey extends ApiKeyRecord {
  readonly key: string;
}

/** How the operator of a store issues, lists and revokes the keys that the database holds. */
export interface ApiKeyRegister {
  readonly issue: (name: string) => TaskEither<Unavailable, IssuedApiKey>;
  /** Issues a key only if there never was one; however many processes ask at once, one gets it. */
  readonly issueFirst: (name: string) => TaskEither<Unavailable, IssuedApiKey | undefined>;
  readonly list: TaskEither<Unavailable, ReadonlyArray<ApiKeyRecord>>;
  /** Answers with the revoked key's record, or with undefined when no key has this id. */
  readonly revoke: (id: string) => TaskEither<Unavailable, ApiKeyRecord | undefined>;
}

const toRecord = ({ id, name, last_four, created_at, revoked_at }: ApiKeyRow): ApiKeyRecord => ({
  id,
  name,
  lastFour: last_four,
  created: created_at,
  revoked: revoked_at,
});

const issue = async (writes: Knex, name: string): Promise<IssuedApiKey> => {
  const { id, key } = newApiKey();
  const row: ApiKeyRow = {
    id,
    name,
    digest: digestOf(key).toString('hex'),
    last_four: key.slice(-4),
    created_at: new Date().toISOString(),
    revoked_at: null,
  };
  await writes('api_keys').insert(row);
  return { ...toRecord(row), key };
};

/** The register of the keys that a migrated database holds. Each operation can fail as Unavailable. */
export const apiKeyRegister = ({ reads, writes, withMigrationLock }: Database): ApiKeyRegister => ({
  issue: (name) => attempt(() => issue(writes, name)),
  issueFirst: (name) =>
    attempt(() =>
      withMigrationLock(async (transaction) => {
        const any = await transaction<ApiKeyRow>('api_keys').first('id');
        return any === undefined ? issue(transaction, name) : undefined;
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
        .update({ revoked_at: new Date().toISOString() });
      const row = await writes<ApiKeyRow>('api_keys').where({ id }).first();
      return row && toRecord(row);
    }),
});
