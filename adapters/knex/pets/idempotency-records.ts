import * as E from 'fp-ts/Either';
import { constUndefined, identity, pipe } from 'fp-ts/function';
import * as RA from 'fp-ts/ReadonlyArray';
import type { Knex } from 'knex';
import {
  type ScopedIdempotencyKey,
  scopedIdempotencyKeyText,
  inDecimal,
  type KeptCreation,
  type Pet,
  PetId,
} from '../../../core';
import type { PetStatements } from '../database/pet-statements';
import type { Creation } from './creation';
import { findPets, type Found } from './find-pets';

/** A row of `creation_keys` as it is read: integers as text, or exact in a double. Its caller is the owner of the key. */
interface RecordRow {
  readonly caller: string;
  readonly idempotency_key: string;
  readonly pet_id: string;
  readonly kept_until: string | number;
}

const recordsOf = (knex: Knex, keys: ReadonlyArray<ScopedIdempotencyKey>) =>
  knex<RecordRow>('creation_keys').whereIn(
    ['caller', 'idempotency_key'],
    keys.map(({ owner, idempotencyKey }) => [owner, idempotencyKey]),
  );

/** Forgets those of these keys that have expired. It writes in any case. */
export const forgetExpiredOf = async (
  transaction: Knex,
  keys: ReadonlyArray<ScopedIdempotencyKey>,
  now: number,
): Promise<void> => {
  await recordsOf(transaction, keys).where('kept_until', '<=', now).delete();
};

/** Frees keys by the rows that were read: what another instance has kept under them since stays. */
export const freeKeys = async (transaction: Knex, rows: ReadonlyArray<RecordRow>): Promise<void> => {
  if (rows.length === 0) return;
  await transaction<RecordRow>('creation_keys')
    .where((any) => {
      for (const { caller, idempotency_key, pet_id } of rows)
        void any.orWhere({ caller, idempotency_key, pet_id });
    })
    .delete();
};

const animalOf = ({ pet_id }: RecordRow): PetId | undefined =>
  pipe(inDecimal(PetId).decode(pet_id), E.matchW(constUndefined, identity));

const toKept = (found: Found | Error | undefined, keptUntil: number): KeptCreation | Error => {
  if (found === undefined) return new Error('a record of an idempotency key names no animal');
  return found instanceof Error ? found : { pet: pipe(found, E.matchW(constUndefined, identity)), keptUntil };
};

/**
 * What is kept under those of these keys that are known, and the row that says so, by their texts; an Error where it
 * can't be read.
 */
export const findKept = async (
  transaction: Knex,
  petStatements: PetStatements,
  keys: ReadonlyArray<ScopedIdempotencyKey>,
) => {
  const rows: ReadonlyArray<RecordRow> = await recordsOf(transaction, keys).select(
    'caller',
    'idempotency_key',
    'kept_until',
    transaction.raw('cast(pet_id as text) as pet_id'),
  );
  const records = rows.map((row) => ({ row, animal: animalOf(row) }));
  const animals = records.flatMap(({ animal }) => (animal === undefined ? [] : [animal]));
  const found = new Map(RA.zip(animals, await findPets(transaction, petStatements, animals)));
  return new Map(
    records.map(({ row, animal }) => [
      scopedIdempotencyKeyText({ owner: row.caller, idempotencyKey: row.idempotency_key }),
      { row, kept: toKept(animal === undefined ? undefined : found.get(animal), Number(row.kept_until)) },
    ]),
  );
};

/**
 * Locks a record that was read. On PostgreSQL that is a write, so that the commit waits for a synchronous standby: a
 * primary that was restarted shows what its standby never got, and a replay must not acknowledge that.
 */
export const lockRecord = async (
  transaction: Knex,
  { caller, idempotency_key }: RecordRow,
): Promise<void> => {
  await transaction<RecordRow>('creation_keys')
    .where({ caller, idempotency_key })
    .select('idempotency_key')
    .forShare();
};

/** Keeps the keys of new animals. Fails where one of them is kept already. */
export const keepRecords = async (
  transaction: Knex,
  { insertRecords }: PetStatements,
  made: ReadonlyArray<readonly [Creation, Pet]>,
  keptUntil: number,
): Promise<void> => {
  await insertRecords(
    transaction,
    made.flatMap(([{ key }, { id }]) =>
      key === undefined
        ? []
        : [
            {
              caller: key.owner,
              idempotency_key: key.idempotencyKey,
              pet_id: id,
              kept_until: keptUntil,
            },
          ],
    ),
  );
};
