import type * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import type { Unavailable } from '../../../core';
import type { ApiKeyRow } from '../api-keys/knex-authenticate';
import { toTaskEither } from '../database/errors';
import type { Database, DatabaseSizes } from '../database/database';
import { migrations } from '../migrations/migrations';
import { readSchemaState } from '../migrations/schema-state';

export interface DatabaseStatus {
  readonly validKeys: number;
  /** Owners whose last valid API key expires at `ends` (ISO 8601), the soonest first; at most 100. */
  readonly endingOwners: ReadonlyArray<{ readonly owner: string; readonly ends: string }>;
  readonly sizes: DatabaseSizes;
  readonly migrations: { readonly applied: number; readonly pending: number };
}

const maxEndingOwners = 100;

const readKeyStatus = async (reads: Knex): Promise<Pick<DatabaseStatus, 'validKeys' | 'endingOwners'>> => {
  const validKeys = reads<ApiKeyRow>('api_keys')
    .whereNull('revoked_at')
    .whereRaw('(expires_at is null or expires_at > ?)', [new Date().toISOString()]);
  const [{ count }, endingOwners] = await Promise.all([
    validKeys.clone().count({ count: '*' }).first<{ count: number | string }>(),
    validKeys
      .clone()
      .groupBy('owner_id')
      .havingRaw('count(*) = count(expires_at)')
      .orderByRaw('max(expires_at)')
      .limit(maxEndingOwners)
      .select<DatabaseStatus['endingOwners']>('owner_id as owner', reads.raw('max(expires_at) as ends')),
  ]);
  return { validKeys: Number(count), endingOwners };
};

export const databaseStatus = ({ reads, sizes }: Database): TE.TaskEither<Unavailable, DatabaseStatus> =>
  toTaskEither(async () => {
    const [{ pending }, keys, taken] = await Promise.all([
      readSchemaState(reads),
      readKeyStatus(reads),
      sizes(),
    ]);
    return {
      ...keys,
      sizes: taken,
      migrations: { applied: Object.keys(migrations).length - pending.length, pending: pending.length },
    };
  });
