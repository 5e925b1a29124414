/*
 * Checks whether a database can serve requests, for readiness and for `doctor`. Readiness gives a short reason for a
 * failed check, and `doctor` gives the details.
 */

import { constFalse, constUndefined } from 'fp-ts/function';
import { randomBytes } from 'node:crypto';
import {
  decodeOrThrow,
  defaultPageSize,
  IdempotencyKey,
  idempotencyTtlMs,
  KeyId,
  leastInt64,
  NewPetCodec,
  OwnerId,
} from '../../../core';
import { recordUses } from '../api-keys/api-key-rows';
import { maxBatchSize } from '../batcher';
import { isKind } from '../database/errors';
import { tryAndRollBack, withTimeout } from '../database/transactions';
import type { OpenedDatabase, PostgresDatabase } from '../database/opened-database';
import type { Connection } from '../database/store-database';
import { findMissingColumns } from '../database/check-columns';
import { databaseTimeouts } from '../database/timeouts';
import { readUsableSchemaState } from '../migrations/schema-state';
import { claimOf, createOrReplay, insertAsNew } from '../pets/create';

/** Fault of a database. Readiness shows `reason` to anyone, and `doctor` shows `text` to operators. */
interface Fault {
  readonly reason: string;
  readonly text: string;
}

interface ServingCheck {
  /** Rejects if a statement of the check fails. */
  readonly findFault: (database: OpenedDatabase) => Promise<Fault | undefined>;
}

interface CheckGroup {
  readonly checks: ReadonlyArray<ServingCheck>;
  /** Further checks, which only `doctor` makes. */
  readonly doctorChecks?: ReadonlyArray<ServingCheck>;
  /** Reason that readiness gives if `findFault` rejects with an error that `reasons` in readiness.ts does not list. */
  readonly failure: string;
}

const fault = (reason: string, text: string | undefined): Fault | undefined =>
  text === undefined ? undefined : { reason, text };

const findSchemaFault = async ({ readPool, statements }: OpenedDatabase): Promise<Fault | undefined> => {
  const connection = { knex: readPool, statements };
  const { pending } = await readUsableSchemaState(connection);
  return pending.length > 0
    ? fault('the database lacks migrations', `pending: ${pending.join(', ')}`)
    : fault('the database lacks tables or columns', await findMissingColumns(connection));
};

const onPostgres = (check: (database: PostgresDatabase) => Promise<void>): ServingCheck => ({
  findFault: async (database) => {
    if (database.engine === 'PostgreSQL') await check(database);
    return undefined;
  },
});

/** Records the use of an API key, creates an animal, and rolls back. On PostgreSQL, no later animal gets this id. */
const writeCheck: ServingCheck = {
  findFault: ({ writePool, statements }) =>
    tryAndRollBack(writePool, async (knex) => {
      const connection = { knex, statements };
      await recordUses(connection, [decodeOrThrow(KeyId, 'trial')]);
      if (await refusesSecondUse(connection)) return undefined;
      return fault(
        'a retry adds a second animal',
        'table idempotency_keys accepts a key twice, so that a retry adds a second animal; restore its primary key (owner_id, idempotency_key), and remove triggers and partitions',
      );
    }),
};

const trialPet = decodeOrThrow(NewPetCodec, { name: 'trial', categoryId: 1 });

/**
 * Creates an animal with an idempotency key, and retries the create. Returns whether the database refuses to store the
 * key a second time. After a refusal, PostgreSQL rejects each further statement of the transaction.
 */
const refusesSecondUse = async (connection: Connection): Promise<boolean> => {
  const ownerId = decodeOrThrow(OwnerId, 'trial');
  const idempotencyKey = decodeOrThrow(IdempotencyKey, randomBytes(16).toString('hex'));
  const claim = claimOf({ ownerId, idempotencyKey }, trialPet);
  const creates = [{ newPet: trialPet, createdBy: null, claim }];
  await createOrReplay(connection, creates, idempotencyTtlMs);
  await createOrReplay(connection, creates, idempotencyTtlMs);
  return insertAsNew(connection, creates, idempotencyTtlMs).then(constFalse, isKind('Duplicate'));
};

const slowCommit =
  'a commit takes seconds; the disk of the database may be slow, a standby that commits wait for may be away, or a session may hold a lock';

/** Check that commits a heartbeat (the time, in one row). `doctor` reports how long this takes. */
export const heartbeatCheck: ServingCheck = {
  findFault: ({ write }) => {
    const beat = () =>
      write((pool) => pool('heartbeats').insert({ id: 1, beaten_at: Date.now() }).onConflict('id').merge());
    return withTimeout(beat, databaseTimeouts.heartbeatMs).then(constUndefined, (error: unknown) => {
      if (isKind('NoAnswer', 'StatementTimeout', 'RowLocked')(error)) return fault(slowCommit, slowCommit);
      throw error;
    });
  },
};

const firstPage = { from: leastInt64, order: 'asc', filters: [] } as const;

const idsCheck = (count: number): ServingCheck => ({
  findFault: async ({ inspectIds }) =>
    fault('the ids of the next animals are taken or used up', await inspectIds(count)),
});

/**
 * Groups of checks, in the order in which `doctor` makes them. Readiness runs the groups concurrently, and each group
 * needs only one connection.
 */
export const checkGroups: ReadonlyArray<CheckGroup> = [
  {
    failure: "the database can't be used",
    checks: [{ findFault: findSchemaFault }, onPostgres(({ checkRights }) => checkRights())],
  },
  {
    failure: "animals can't be read from the database",
    checks: [
      {
        findFault: ({ readPool, statements }) =>
          statements.pages(readPool, [firstPage], defaultPageSize).then(constUndefined),
      },
      idsCheck(maxBatchSize),
    ],
    doctorChecks: [idsCheck(Infinity), writeCheck],
  },
  {
    failure: 'a write to the table heartbeats fails',
    checks: [heartbeatCheck, onPostgres(({ checkSpace }) => checkSpace())],
  },
];
