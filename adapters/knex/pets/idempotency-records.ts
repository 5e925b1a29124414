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

/** Frees these keys, whatever is kept under them. */
export const freeKeys = async (
  transaction: Knex,
  keys: ReadonlyArray<ScopedIdempotencyKey>,
): Promise<void> => {
  await recordsOf(transaction, keys).delete();
};

const animalOf = ({ pet_id }: RecordRow): PetId | undefined =>
  pipe(inDecimal(PetId).decode(pet_id), E.matchW(constUndefined, identity));

const toKept = (found: Found | Error | undefined, keptUntil: number): KeptCreation | Error => {
  if (found === undefined) return new Error('a record of an idempotency key names no animal');
  return found instanceof Error ? found : { pet: pipe(found, E.matchW(constUndefined, identity)), keptUntil };
};

/** What is kept under those of these keys that are known, by their texts. An Error where it can't be read. */
export const findKept = async (
  transaction: Knex,
  petStatements: PetStatements,
  keys: ReadonlyArray<ScopedIdempotencyKey>,
): Promise<ReadonlyMap<string, KeptCreation | Error>> => {
  const rows: ReadonlyArray<RecordRow> = await recordsOf(transaction, keys).select(
    'caller',
    'idempotency_key',
    'kept_until',
    transaction.raw('cast(pet_id as text) as pet_id'),
  );
  const records = rows.map((row) => ({ ...row, animal: animalOf(row) }));
  const animals = records.flatMap(({ animal }) => (animal === undefined ? [] : [animal]));
  const found = new Map(RA.zip(animals, await findPets(transaction, petStatements, animals)));
  return new Map(
    records.map(({ caller: owner, idempotency_key: idempotencyKey, animal, kept_until }) => [
      scopedIdempotencyKeyText({ owner, idempotencyKey }),
      toKept(animal && found.get(animal), Number(kept_until)),
    ]),
  );
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
