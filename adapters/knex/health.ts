import * as E from 'fp-ts/Either';
import type { Task } from 'fp-ts/Task';
import type { TaskEither } from 'fp-ts/TaskEither';
import { defaultPageSize, type Unavailable } from '../../core';
import { maxBatchSize } from './batcher';
import type { DatabaseSizes, OwnDatabase } from './database/own-database';
import { isKind } from './database/errors';
import { findLacks } from './database/needs';
import { leastInt64 } from './database/pet-columns';
import { toTaskEither, withTimeout } from './database/work';
import { generationMismatch, readSchemaState } from './migrations/migrations';
import { databaseTimeouts } from './database/timeouts';

const checkReadiness = async ({
  reads,
  write,
  statements,
  inspectIds,
  checkSpace,
}: OwnDatabase): Promise<string | undefined> => {
  const inTime = <A>(work: () => Promise<A>) =>
    toTaskEither(() => withTimeout(work, databaseTimeouts.readinessMs))();
  const firstPage = { from: leastInt64, order: 'asc', filters: [] } as const;
  const [schema, read, written, ids, lacks] = await Promise.all([
    inTime(() => readSchemaState(reads, statements)),
    inTime(() => statements.pages(reads, [firstPage], defaultPageSize)),
    inTime(async () => {
      await write((writes) =>
        writes('heartbeats').insert({ id: 1, beaten_at: Date.now() }).onConflict('id').merge(),
      );
      await checkSpace();
    }),
    inTime(() => inspectIds(maxBatchSize)),
    inTime(() => findLacks(reads, statements)),
  ]);
  if ([schema, read, written].some((check) => E.isLeft(check) && isKind('ReadOnlyServer')(check.left.cause)))
    return 'the database server is read-only; run `animal-store doctor`';
  if (E.isLeft(schema))
    return isKind('LoginRejected')(schema.left.cause)
      ? 'the database rejects the login; run `animal-store doctor`'
      : 'the database does not answer';
  if (generationMismatch(schema.right) !== undefined) {
    return 'the database schema belongs to an incompatible version; run `animal-store doctor`';
  }
  if (schema.right.pending.length > 0) return 'the database lacks migrations; run `animal-store migrate`';
  if (E.isRight(lacks) && lacks.right.length > 0)
    return 'the database lacks tables or columns; run `animal-store doctor`';
  if (E.isLeft(read)) return "animals can't be read from the database; run `animal-store doctor`";
  if (E.isLeft(written) && isKind('DiskFull', 'FileFull')(written.left.cause))
    return 'the disk of the database is full; free space there';
  if (E.isLeft(written)) return 'a write to the table heartbeats fails; run `animal-store doctor`';
  if (E.isLeft(ids)) return 'the database does not answer';
  return ids.right === undefined
    ? undefined
    : 'the ids of the next animals are taken or used up; run `animal-store doctor`';
};

/**
 * Makes a function that returns why the database can't serve requests, or undefined if it can. Checks the schema, reads
 * a page, commits a write, and checks the ids of the next animals. A create may still fail, for example without the
 * right to insert animals. Only `doctor` tries a create. A result is reused for a second.
 */
export const knexReadiness = (database: OwnDatabase): Task<string | undefined> => {
  let checkedAt = -databaseTimeouts.readinessCacheMs;
  let answer: Promise<string | undefined> = Promise.resolve(undefined);
  return () => {
    const now = performance.now();
    if (now - checkedAt >= databaseTimeouts.readinessCacheMs) {
      checkedAt = now;
      answer = checkReadiness(database);
    }
    return answer;
  };
};

export interface DatabaseStatus extends DatabaseSizes {
  readonly validKeys: number;
  /** Owners whose valid keys all have an expiry. `endsAt` is the latest expiry, in milliseconds since 1970. */
  readonly endingOwners: ReadonlyArray<{ readonly owner: string; readonly endsAt: number }>;
}

const maxEndingOwners = 100;

const readKeyStatus = async ({
  reads,
  statements,
}: OwnDatabase): Promise<Pick<DatabaseStatus, 'validKeys' | 'endingOwners'>> => {
  const validKeys = reads('api_keys')
    .whereNull('revoked_at')
    .whereRaw(`(expires_at is null or expires_at > ${statements.now})`);
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
        reads.raw('max(expires_at) as ends_at'),
      ),
  ]);
  return {
    validKeys: Number(count),
    endingOwners: endingOwners.map(({ owner, ends_at }) => ({ owner, endsAt: Number(ends_at) })),
  };
};

export const databaseStatus = (database: OwnDatabase): TaskEither<Unavailable, DatabaseStatus> =>
  toTaskEither(async () => ({ ...(await readKeyStatus(database)), ...(await database.sizes()) }));
