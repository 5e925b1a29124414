/* What a database needs in order to serve. Readiness reports what is wrong, and `doctor` explains it. */

import { constFalse, constUndefined } from 'fp-ts/function';
import { randomBytes } from 'node:crypto';
import { decodeOrThrow, defaultPageSize, leastInt64, NewPetCodec } from '../../core';
import { maxBatchSize } from './batcher';
import { isKind } from './database/errors';
import type { OwnDatabase } from './database/own-database';
import { idOfRow, newPetRow } from './database/pet-columns';
import { findMissingColumns } from './database/requirements';
import { databaseTimeouts } from './database/timeouts';
import { tryAndRollBack, withTimeout } from './database/work';
import { generationMismatch, readSchemaState } from './migrations/migrations';

interface Check {
  readonly name: string;
  /** Returns what is wrong, in words for an operator, or undefined. Rejects if a statement of the check fails. */
  readonly find: (database: OwnDatabase, isDoctor: boolean) => Promise<string | undefined>;
  /** Reason that readiness gives if `find` returns a text. */
  readonly reason?: string;
  readonly isOnlyForDoctor?: true;
}

interface CheckGroup {
  readonly checks: ReadonlyArray<Check>;
  /** Reason that readiness gives if `find` rejects with an error whose kind has no reason of its own. */
  readonly failure: string;
}

const trialPet = decodeOrThrow(NewPetCodec, { name: 'trial', categoryId: 1 });
const trialRow = newPetRow({ newPet: trialPet, createdBy: null });

/**
 * Runs the statements of a create with an idempotency key, and the update that records the use of an API key. Rolls
 * them back. On PostgreSQL, the id stays used after the rollback.
 */
const tryCreate = ({ writes, statements }: OwnDatabase): Promise<string | undefined> =>
  tryAndRollBack(writes, async (transaction) => {
    const [row = []] = await statements.insert(transaction, [trialRow]);
    const pet_id = BigInt(idOfRow(row));
    const key = { owner_id: 'trial', idempotency_key: randomBytes(16).toString('hex') };
    const insertRecord = () =>
      statements.insertRecords(transaction, [{ ...key, content_hash: '', pet_id }], 0);
    await insertRecord();
    await transaction('idempotency_keys').where(key).select('idempotency_key').forShare();
    await transaction('idempotency_keys').where(key).delete();
    await transaction('api_keys').where({ id: '' }).update({ last_used_at: 0 });
    // The last statements, because PostgreSQL runs none after an error.
    await insertRecord();
    const isRefused = await insertRecord().then(constFalse, isKind('Duplicate'));
    return isRefused
      ? undefined
      : 'table idempotency_keys accepts a key twice, so that a retry adds a second animal; restore its primary key (owner_id, idempotency_key), and remove triggers and partitions';
  });

const slowCommit =
  'a commit takes seconds; the disk of the database may be slow, a standby that commits wait for may be away, or a session may hold a lock';

const commitHeartbeat = ({ write }: OwnDatabase): Promise<string | undefined> => {
  const beat = () =>
    write((writes) => writes('heartbeats').insert({ id: 1, beaten_at: Date.now() }).onConflict('id').merge());
  return withTimeout(beat, databaseTimeouts.heartbeatMs).then(constUndefined, (error: unknown) => {
    if (isKind('NoAnswer', 'StatementTimeout', 'RowLocked')(error)) return slowCommit;
    throw error;
  });
};

const firstPage = { from: leastInt64, order: 'asc', filters: [] } as const;

/**
 * The checks, in the order in which they are made and reported. Those of a group share a connection, so that readiness,
 * which makes the groups at the same time, can't take the whole pool of a database that hangs.
 */
export const checkGroups: ReadonlyArray<CheckGroup> = [
  {
    failure: "the database can't be used",
    checks: [
      {
        name: 'generation of the schema',
        find: async ({ reads, statements }) =>
          generationMismatch(await readSchemaState(reads, statements))?.message,
        reason: 'the database schema belongs to an incompatible version',
      },
      {
        name: 'migrations',
        find: async ({ reads, statements }) => {
          const { pending } = await readSchemaState(reads, statements);
          return pending.length > 0 ? `pending: ${pending.join(', ')}` : undefined;
        },
        reason: 'the database lacks migrations',
      },
      {
        name: 'columns',
        find: ({ reads, statements }) => findMissingColumns(reads, statements),
        reason: 'the database lacks tables or columns',
      },
      {
        name: 'rights',
        find: async (database) => {
          if (database.engine === 'PostgreSQL') await database.checkRights();
          return undefined;
        },
      },
    ],
  },
  {
    failure: "animals can't be read from the database",
    checks: [
      {
        name: 'page of animals',
        find: ({ reads, statements }) =>
          statements.pages(reads, [firstPage], defaultPageSize).then(constUndefined),
      },
      {
        name: 'next ids',
        find: ({ inspectIds }, isDoctor) => inspectIds(isDoctor ? Infinity : maxBatchSize),
        reason: 'the ids of the next animals are taken or used up',
      },
      { name: 'create', find: tryCreate, isOnlyForDoctor: true },
    ],
  },
  {
    failure: 'a write to the table heartbeats fails',
    checks: [
      { name: 'heartbeat', find: commitHeartbeat, reason: slowCommit },
      {
        name: 'disk space',
        find: async (database, isDoctor) => {
          if (database.engine === 'PostgreSQL') await database.checkSpace(isDoctor || undefined);
          return undefined;
        },
      },
    ],
  },
];
