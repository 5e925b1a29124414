import type { Knex } from 'knex';
import type { ApiKeyRow } from './api-key-rows';

/** An owner all of whose valid keys will have ended by then. */
export interface EndingOwner {
  readonly owner: string;
  /** ISO 8601, in UTC. */
  readonly ends: string;
}

/** What of the keys an operator ought to see coming. */
export interface ApiKeyStatus {
  readonly validKeys: number;
  /** Those who will be shut out first, if they get no other key. */
  readonly endingOwners: ReadonlyArray<EndingOwner>;
}

const mostOwners = 100;

/** Reads it; one look at all keys. */
export const readApiKeyStatus = async (reads: Knex): Promise<ApiKeyStatus> => {
  const now = new Date().toISOString();
  const validKeys = reads<ApiKeyRow>('api_keys')
    .whereNull('revoked_at')
    .whereRaw('(expires_at is null or expires_at > ?)', [now]);
  const [{ count }, endingOwners] = await Promise.all([
    validKeys.clone().count({ count: '*' }).first<{ count: number | string }>(),
    validKeys
      .clone()
      .groupByRaw('coalesce(owner, id)')
      .havingRaw('count(*) = count(expires_at)')
      .orderByRaw('max(expires_at)')
      .limit(mostOwners)
      .select<ReadonlyArray<EndingOwner>>(
        reads.raw('coalesce(owner, id) as owner'),
        reads.raw('max(expires_at) as ends'),
      ),
  ]);
  return { validKeys: Number(count), endingOwners };
};
