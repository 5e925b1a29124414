import * as E from 'fp-ts/Either';
import * as O from 'fp-ts/Option';
import * as RA from 'fp-ts/ReadonlyArray';
import type { Knex } from 'knex';
import { type NewPet, type Pet, retentionOfCreationKeys } from '../../../core';
import {
  type Creation,
  type CreationResult,
  findEarlier,
  forgetExpired,
  hasKey,
  keepKeys,
} from './creation-keys';
import type { Database } from '../database/database';
import { isAboutData, isDuplicate, isLocked } from '../database/database-error';
import { insertPets } from './insert-pets';
import { oneByOne } from '../batching/one-by-one';
import type { PetStatements } from '../database/pet-statements';
import { retryConflicts } from '../database/retry-conflicts';

/** How often expired keys are looked for, in milliseconds. */
const forgetInterval = 1_000;

type Create = (
  petStatements: PetStatements,
  transaction: Knex,
  creations: ReadonlyArray<Creation>,
  now: number,
) => Promise<ReadonlyArray<CreationResult>>;

const newPetOf = ({ newPet }: Creation): NewPet => newPet;

const created = (pet: Pet): CreationResult => E.right({ pet, replayed: false });

const createUnkept: Create = async (petStatements, transaction, creations, now) => {
  const earlier = await findEarlier(transaction, creations, now);
  const fresh = creations.filter((creation) => !earlier.has(creation));
  const made = RA.zip(fresh, await insertPets(transaction, petStatements, fresh.map(newPetOf)));
  await keepKeys(petStatements, transaction, made, now + retentionOfCreationKeys);

  const results = new Map([...earlier, ...made.map(([creation, pet]) => [creation, created(pet)] as const)]);
  return RA.filterMap((creation: Creation) => O.fromNullable(results.get(creation)))(creations);
};

const createNew: Create = async (petStatements, transaction, creations, now) => {
  const pets = await insertPets(transaction, petStatements, creations.map(newPetOf));
  await keepKeys(petStatements, transaction, RA.zip(creations, pets), now + retentionOfCreationKeys);
  return pets.map(created);
};

/** All in one transaction; without keys a statement is one by itself. */
const createAll = ({ writes, petStatements }: Database) => {
  let forgetAt = -Infinity;

  const forgetNow = async (transaction: Knex, now: number): Promise<void> => {
    const thereAreMore = await forgetExpired(transaction, now);
    forgetAt = thereAreMore ? now : now + forgetInterval;
  };

  return async (creations: ReadonlyArray<Creation>, now: number): Promise<ReadonlyArray<CreationResult>> => {
    if (!creations.some(hasKey)) return createNew(petStatements, writes, creations, now);
    // Most keys are new: only where one turns out not to be does it pay to look for what is kept.
    try {
      return await writes.transaction(async (transaction) => {
        if (now >= forgetAt) await forgetNow(transaction, now);
        return createNew(petStatements, transaction, creations, now);
      });
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    return writes.transaction(async (transaction) => {
      // As the first statement a write makes a SQLite transaction wait for its turn.
      await forgetNow(transaction, now);
      return createUnkept(petStatements, transaction, creations, now);
    });
  };
};

/**
 * Group commit: creates all animals in one transaction. Each result stands where its creation stood. Where the
 * database refuses one of them, or another instance holds its key, each is tried alone.
 */
export const createPets = (database: Database, now: () => number) => {
  const createTogether = createAll(database);

  const create = async (creations: ReadonlyArray<Creation>): Promise<ReadonlyArray<CreationResult>> => {
    const results = await retryConflicts(() => createTogether(creations, now()));
    if (!database.isSound()) throw new Error('the database file was removed, replaced or cut off');
    return results;
  };

  return async (creations: ReadonlyArray<Creation>): Promise<ReadonlyArray<CreationResult | Error>> => {
    try {
      return await create(creations);
    } catch (error) {
      const isOneToBlame = isAboutData(error) || (isLocked(error) && creations.some(hasKey));
      if (creations.length === 1 || !isOneToBlame) throw error;
      const alone = await oneByOne((creation) => create([creation]), creations);
      return alone.flat();
    }
  };
};
