import * as E from 'fp-ts/Either';
import * as RA from 'fp-ts/ReadonlyArray';
import type { Knex } from 'knex';
import {
  type CreatedPet,
  type CreationKey,
  type IdempotencyKeyReused,
  idempotencyKeyReused,
  isSameNewPet,
  type NewPet,
  type Pet,
} from '../../../core';
import type { PetStatements } from '../database/pet-statements';
import { petColumns, petFromRow, type PetRow } from '../database/pet-rows';

export interface Creation {
  readonly newPet: NewPet;
  readonly key: CreationKey | undefined;
}

export type CreationResult = E.Either<IdempotencyKeyReused, CreatedPet>;

interface EarlierRow extends PetRow {
  readonly caller: string;
  readonly idempotency_key: string;
  readonly kept_until: string | number;
}

/** How many expired keys a transaction forgets at most, so that none is slow after a long rest. */
const forgottenAtOnce = 1_000;

const identityOf = (caller: string, idempotencyKey: string): string =>
  JSON.stringify([caller, idempotencyKey]);

export const hasKey = ({ key }: Creation): boolean => key !== undefined;

const keysOf = (creations: ReadonlyArray<Creation>): ReadonlyArray<CreationKey> =>
  creations.flatMap(({ key }) => (key === undefined ? [] : [key]));

const replay = (pet: Pet, newPet: NewPet): CreationResult =>
  isSameNewPet(pet, newPet) ? E.right({ pet, replayed: true }) : E.left(idempotencyKeyReused);

/** Forgets expired keys, a thousand at most, and answers with whether there may be more. It writes in any case. */
export const forgetExpired = async (transaction: Knex, now: number): Promise<boolean> => {
  const expired = transaction('creation_keys')
    .select('caller', 'idempotency_key')
    .where('kept_until', '<=', now)
    .limit(forgottenAtOnce);
  const forgotten = await transaction('creation_keys')
    .whereIn(['caller', 'idempotency_key'], expired)
    .delete();
  return forgotten === forgottenAtOnce;
};

const forget = async (transaction: Knex, rows: ReadonlyArray<EarlierRow>): Promise<void> => {
  const keys = rows.map(({ caller, idempotency_key }) => [caller, idempotency_key]);
  if (keys.length > 0) {
    await transaction('creation_keys').whereIn(['caller', 'idempotency_key'], keys).delete();
  }
};

/** The results of those whose keys are kept from earlier. */
export const findEarlier = async (
  transaction: Knex,
  creations: ReadonlyArray<Creation>,
  now: number,
): Promise<ReadonlyMap<Creation, CreationResult>> => {
  const found = await transaction('creation_keys')
    .join('pets', 'pets.id', 'creation_keys.pet_id')
    .select<ReadonlyArray<EarlierRow>>('caller', 'idempotency_key', 'kept_until', transaction.raw(petColumns))
    .whereIn(
      ['caller', 'idempotency_key'],
      keysOf(creations).map(({ caller, idempotencyKey }) => [caller, idempotencyKey]),
    );
  const { left: expired, right: rows } = RA.partition((row: EarlierRow) => Number(row.kept_until) > now)(
    found,
  );
  await forget(transaction, expired);
  const pets = new Map(rows.map((row) => [identityOf(row.caller, row.idempotency_key), petFromRow(row)]));
  return new Map(
    creations.flatMap((creation) => {
      const pet = creation.key && pets.get(identityOf(creation.key.caller, creation.key.idempotencyKey));
      return pet === undefined ? [] : [[creation, replay(pet, creation.newPet)] as const];
    }),
  );
};

/** Keeps the keys of new animals. Fails where one of them is kept already. */
export const keepKeys = async (
  { insertKeys }: PetStatements,
  transaction: Knex,
  made: ReadonlyArray<readonly [Creation, Pet]>,
  keptUntil: number,
): Promise<void> => {
  const rows = made.flatMap(([{ key }, { id }]) =>
    key === undefined
      ? []
      : [
          {
            caller: key.caller,
            idempotency_key: key.idempotencyKey,
            pet_id: id,
            kept_until: keptUntil,
          },
        ],
  );
  if (rows.length > 0) await insertKeys(transaction, rows);
};
