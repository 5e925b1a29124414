import * as E from 'fp-ts/Either';
import type { Task } from 'fp-ts/Task';
import { defaultPageSize, leastInt64, type Unavailable } from '../../core';
import { maxBatchSize } from './batcher';
import type { OwnDatabase } from './database/own-database';
import { type ErrorKind, isKind, permanentError } from './database/errors';
import { findMissingColumns } from './database/requirements';
import { toTaskEither, withTimeout } from './database/work';
import { generationMismatch, readSchemaState } from './migrations/migrations';
import { databaseTimeouts } from './database/timeouts';

const slowCommit =
  'a commit takes seconds; the disk of the database may be slow, a standby that commits wait for may be away, or a session may hold a lock';

/**
 * Commits a write, checks the space on the disk, and returns the milliseconds that the commit took. Rejects if this
 * takes longer than readiness permits.
 */
export const commitHeartbeat = (database: OwnDatabase, isSpaceSuspected?: boolean): Promise<number> =>
  withTimeout(async () => {
    const began = performance.now();
    await database.write((writes) =>
      writes('heartbeats').insert({ id: 1, beaten_at: Date.now() }).onConflict('id').merge(),
    );
    const commitMs = performance.now() - began;
    if (database.engine === 'PostgreSQL') await database.checkSpace(isSpaceSuspected);
    return commitMs;
  }, databaseTimeouts.readinessMs).catch((error: unknown) => {
    throw isKind('NoAnswer', 'StatementTimeout', 'RowLocked')(error) ? permanentError(slowCommit) : error;
  });

const checkReadiness = async (database: OwnDatabase): Promise<string | undefined> => {
  const { reads, statements, inspectIds } = database;
  const inTime = <A>(work: () => Promise<A>) =>
    toTaskEither(() => withTimeout(work, databaseTimeouts.readinessMs))();
  const firstPage = { from: leastInt64, order: 'asc', filters: [] } as const;
  // Uses only three connections, so that readiness checks can't take the whole pool of a database that hangs.
  const [tables, animals, written] = await Promise.all([
    inTime(async () => ({
      schema: await readSchemaState(reads, statements),
      lacks: await findMissingColumns(reads, statements),
      missing: database.engine === 'PostgreSQL' ? await database.findMissingRights() : undefined,
    })),
    inTime(async () => {
      await statements.pages(reads, [firstPage], defaultPageSize);
      return inspectIds(maxBatchSize);
    }),
    toTaskEither(() => commitHeartbeat(database))(),
  ]);
  const hasFailed =
    (...kinds: ReadonlyArray<ErrorKind>) =>
    (check: E.Either<Unavailable, unknown>): boolean =>
      E.isLeft(check) && isKind(...kinds)(check.left.cause);
  if ([tables, animals, written].some(hasFailed('ReadOnlyServer')))
    return 'the database server is read-only; run `animal-store doctor`';
  if (hasFailed('LoginRejected')(tables)) return 'the database rejects the login; run `animal-store doctor`';
  if (hasFailed('NoRight', 'NoRightOnSchema', 'RowSecurity')(tables))
    return 'the role lacks rights; run `animal-store doctor`';
  if (hasFailed('NoAnswer', 'ConnectionRefused', 'UnknownHost', 'ServerStarting')(tables))
    return 'the database does not answer; run `animal-store doctor`';
  if (E.isLeft(tables)) return "the database can't be used; run `animal-store doctor`";
  const { schema, lacks, missing } = tables.right;
  if (generationMismatch(schema) !== undefined)
    return 'the database schema belongs to an incompatible version; run `animal-store doctor`';
  if (schema.pending.length > 0) return 'the database lacks migrations; run `animal-store migrate`';
  if (lacks.length > 0) return 'the database lacks tables or columns; run `animal-store doctor`';
  if (missing !== undefined)
    return isKind('RowSecurity')(missing)
      ? 'row-level security would hide rows from the role; run `animal-store doctor`'
      : 'the role lacks rights; run `animal-store doctor`';
  if (E.isLeft(animals)) return "animals can't be read from the database; run `animal-store doctor`";
  if (hasFailed('DiskFull', 'FileFull')(written)) return 'the disk of the database is full; free space there';
  if (E.isLeft(written) && E.toError(written.left.cause).message === slowCommit) return slowCommit;
  if (E.isLeft(written)) return 'a write to the table heartbeats fails; run `animal-store doctor`';
  return animals.right === undefined
    ? undefined
    : 'the ids of the next animals are taken or used up; run `animal-store doctor`';
};

/**
 * Makes a function that returns why the database can't serve requests, or undefined if it can. Checks the schema and
 * the rights of the role, reads a page, commits a write, and checks the ids of the next animals. A create may still
 * fail, for example by a trigger. Only `doctor` tries a create. A result is reused for a second, and no check begins
 * while another one runs.
 */
export const knexReadiness = (database: OwnDatabase): Task<string | undefined> => {
  let checkedAt = -databaseTimeouts.readinessCacheMs;
  let answer: Promise<string | undefined> = Promise.resolve(undefined);
  let isRunning = false;
  return () => {
    const now = performance.now();
    if (!isRunning && now - checkedAt >= databaseTimeouts.readinessCacheMs) {
      checkedAt = now;
      isRunning = true;
      answer = checkReadiness(database).finally(() => {
        isRunning = false;
      });
    }
    return answer;
  };
};
