import type { TaskEither } from 'fp-ts/TaskEither';
import type { Unavailable } from '../../../core';
import { hasExpired } from '../database/clock';
import type { DatabaseSizes, OpenedDatabase } from '../database/opened-database';
import { toTaskEither } from '../database/errors';

export interface DatabaseStatus extends DatabaseSizes {
  readonly validKeys: number;
  /** Owners whose valid keys all have an expiry. `endsAt` is the latest expiry, in milliseconds since 1970. */
  readonly endingOwners: ReadonlyArray<{ readonly owner: string; readonly endsAt: number }>;
}

const maxEndingOwners = 100;

const readKeyStatus = async ({
  readPool,
  statements,
}: OpenedDatabase): Promise<Pick<DatabaseStatus, 'validKeys' | 'endingOwners'>> => {
  const validKeys = readPool('api_keys')
    .whereNull('revoked_at')
    .whereRaw(`(${hasExpired(statements.nowSql)}) is not true`);
  const [{ count }, endingOwners] = await Promise.all([
    validKeys.clone().count({ count: '*' }).first<{ count: number | string }>(),
    validKeys
      .clone()
      .groupBy('owner_id')
      .havingRaw('count(*) = count(expires_at)')
      .orderByRaw('max(expires_at)')
      .limit(maxEndingOwners)
      .select<ReadonlyArray<{ owner: string; ends_at: number | string }>>(
        'owner_id as owner',
        readPool.raw('max(expires_at) as ends_at'),
      ),
  ]);
  return {
    validKeys: Number(count),
    endingOwners: endingOwners.map(({ owner, ends_at }) => ({ owner, endsAt: Number(ends_at) })),
  };
};

export const databaseStatus = (database: OpenedDatabase): TaskEither<Unavailable, DatabaseStatus> =>
  toTaskEither(async () => ({ ...(await readKeyStatus(database)), ...(await database.sizes()) }));
