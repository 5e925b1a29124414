import * as E from 'fp-ts/Either';
import * as O from 'fp-ts/Option';
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
  retentionOfCreationKeys,
} from '../../core';
import type { Database } from './database';
import { isAboutData, toError } from './database-error';
import { insertPets } from './insert-pets';
import { petColumns, petFromRow, type PetRow } from './pet-rows';
import { retryConflicts } from './retry-conflicts';

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

const newPetOf = ({ newPet }: Creation): NewPet => newPet;

const keysOf = (creations: ReadonlyArray<Creation>): ReadonlyArray<CreationKey> =>
  creations.flatMap(({ key }) => (key === undefined ? [] : [key]));

const created = (pet: Pet): CreationResult => E.right({ pet, replayed: false });

const replay = (pet: Pet, newPet: NewPet): CreationResult =>
  isSameNewPet(pet, newPet) ? E.right({ pet, replayed: true }) : E.left(idempotencyKeyReused);

/** A write even when nothing has expired: as the first statement it makes a SQLite transaction wait for its turn. */
const forgetExpired = async (transaction: Knex, now: number): Promise<void> => {
  const expired = transaction('creation_keys')
    .select('caller', 'idempotency_key')
    .where('kept_until', '<=', now)
    .limit(forgottenAtOnce);
  await transaction('creation_keys').whereIn(['caller', 'idempotency_key'], expired).delete();
};

const forget = async (transaction: Knex, rows: ReadonlyArray<EarlierRow>): Promise<void> => {
  const keys = rows.map(({ caller, idempotency_key }) => [caller, idempotency_key]);
  if (keys.length > 0) {
    await transaction('creation_keys').whereIn(['caller', 'idempotency_key'], keys).delete();
  }
};

const findEarlier = async (
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

const keepKeys = async (
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
            pet_id: id.toString(),
            kept_until: keptUntil,
          },
        ],
  );
  if (rows.length > 0) await transaction('creation_keys').insert(rows);
};

const createOnce = async (
  transaction: Knex,
  creations: ReadonlyArray<Creation>,
  now: number,
): Promise<ReadonlyArray<CreationResult>> => {
  await forgetExpired(transaction, now);
  const earlier = await findEarlier(transaction, creations, now);
  const fresh = creations.filter((creation) => !earlier.has(creation));
  const made = RA.zip(fresh, await insertPets(transaction, fresh.map(newPetOf)));
  await keepKeys(transaction, made, now + retentionOfCreationKeys);

  const results = new Map([...earlier, ...made.map(([creation, pet]) => [creation, created(pet)] as const)]);
  return RA.filterMap((creation: Creation) => O.fromNullable(results.get(creation)))(creations);
};

const createAll = (
  writes: Knex,
  creations: ReadonlyArray<Creation>,
  now: number,
): Promise<ReadonlyArray<CreationResult>> =>
  keysOf(creations).length === 0
    ? insertPets(writes, creations.map(newPetOf)).then((pets) => pets.map(created))
    : writes.transaction((transaction) => createOnce(transaction, creations, now));

/**
 * Group commit: creates all animals in one transaction (without keys a statement is one by itself). Each result
 * stands where its creation stood. Where the database refuses one of them, each is tried alone.
 */
export const createPets =
  ({ writes, isSound }: Database, now: () => number) =>
  async (creations: ReadonlyArray<Creation>): Promise<ReadonlyArray<CreationResult | Error>> => {
    const create = async (some: ReadonlyArray<Creation>) => {
      const results = await retryConflicts(() => createAll(writes, some, now()));
      if (!isSound()) throw new Error('the database file was removed, replaced or cut off');
      return results;
    };
    try {
      return await create(creations);
    } catch (error) {
      if (creations.length === 1 || !isAboutData(error)) throw error;
      const alone = await Promise.all(creations.map((creation) => create([creation]).catch(toError)));
      return alone.flat();
    }
  };
