/*
 * Checks whether a database can serve requests. Readiness gives a short reason for a failed check, and `doctor` gives
 * the details.
 */

import { constFalse, constUndefined } from 'fp-ts/function';
import { randomBytes } from 'node:crypto';
import { decodeOrThrow, defaultPageSize, leastInt64, NewPetCodec } from '../../../core';
import { maxBatchSize } from '../batcher';
import { isKind } from '../database/errors';
import type { OwnDatabase } from '../database/own-database';
import { idOfRow, newPetRow } from '../database/pet-columns';
import { findMissingColumns } from '../database/requirements';
import { databaseTimeouts } from '../database/timeouts';
import { tryAndRollBack, withTimeout } from '../database/work';
import { generationMismatch, readSchemaState } from '../migrations/migrations';

/** Fault that a check has found: the reason for readiness, and the text for operators. */
interface Fault {
  readonly reason: string;
  readonly text: string;
}

interface DatabaseCheck {
  /** Rejects if a statement of the check fails. */
  readonly find: (database: OwnDatabase, isDoctor: boolean) => Promise<Fault | undefined>;
  readonly isOnlyForDoctor?: true;
  /** True for the check whose duration `doctor` reports. */
  readonly isTimed?: true;
}

interface CheckGroup {
  readonly checks: ReadonlyArray<DatabaseCheck>;
  /** Reason that readiness gives if `find` rejects with an error that `reasons` in readiness.ts does not list. */
  readonly failure: string;
}

const fault = (reason: string, text: string | undefined): Fault | undefined =>
  text === undefined ? undefined : { reason, text };

const checkSchema = async ({ reads, statements }: OwnDatabase): Promise<Fault | undefined> => {
  const schema = await readSchemaState(reads, statements);
  const mismatch = generationMismatch(schema)?.message;
  const pending = schema.pending.length > 0 ? `pending: ${schema.pending.join(', ')}` : undefined;
  return (
    fault('the database schema belongs to an incompatible version', mismatch) ??
    fault('the database lacks migrations', pending) ??
    fault('the database lacks tables or columns', await findMissingColumns(reads, statements))
  );
};

const trialPet = decodeOrThrow(NewPetCodec, { name: 'trial', categoryId: 1 });
const trialRow = newPetRow({ newPet: trialPet, createdBy: null });

/**
 * Runs the statements of a create with an idempotency key, and the update that records the use of an API key. Rolls
 * them back. On PostgreSQL, the id stays used after the rollback.
 */
const tryCreate = ({ writes, statements }: OwnDatabase): Promise<Fault | undefined> =>
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
    // These statements come last, because PostgreSQL rejects every statement after an error in a transaction.
    await insertRecord();
    const isRefused = await insertRecord().then(constFalse, isKind('Duplicate'));
    if (isRefused) return undefined;
    return fault(
      'a retry adds a second animal',
      'table idempotency_keys accepts a key twice, so that a retry adds a second animal; restore its primary key (owner_id, idempotency_key), and remove triggers and partitions',
    );
  });

const slowCommit =
  'a commit takes seconds; the disk of the database may be slow, a standby that commits wait for may be away, or a session may hold a lock';

const commitHeartbeat = ({ write }: OwnDatabase): Promise<Fault | undefined> => {
  const beat = () =>
    write((pool) => pool('heartbeats').insert({ id: 1, beaten_at: Date.now() }).onConflict('id').merge());
  return withTimeout(beat, databaseTimeouts.heartbeatMs).then(constUndefined, (error: unknown) => {
    if (isKind('NoAnswer', 'StatementTimeout', 'RowLocked')(error)) return fault(slowCommit, slowCommit);
    throw error;
  });
};

const firstPage = { from: leastInt64, order: 'asc', filters: [] } as const;

/**
 * Groups of checks, in the order in which `doctor` makes them. Readiness runs the groups concurrently, and each group
 * needs only one connection.
 */
export const checkGroups: ReadonlyArray<CheckGroup> = [
  {
    failure: "the database can't be used",
    checks: [
      { find: checkSchema },
      {
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
        find: ({ reads, statements }) =>
          statements.pages(reads, [firstPage], defaultPageSize).then(constUndefined),
      },
      {
        find: async ({ inspectIds }, isDoctor) =>
          fault(
            'the ids of the next animals are taken or used up',
            await inspectIds(isDoctor ? Infinity : maxBatchSize),
          ),
      },
      { find: tryCreate, isOnlyForDoctor: true },
    ],
  },
  {
    failure: 'a write to the table heartbeats fails',
    checks: [
      { find: commitHeartbeat, isTimed: true },
      {
        find: async (database, isDoctor) => {
          if (database.engine === 'PostgreSQL') await database.checkSpace(isDoctor || undefined);
          return undefined;
        },
      },
    ],
  },
];
