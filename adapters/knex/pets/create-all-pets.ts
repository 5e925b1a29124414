import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import { type ImportAborted, importAborted, type NewPet, type Unavailable } from '../../../core';
import { attempt } from '../database/attempt';
import { batchesOf } from '../batching/batches-of';
import type { Database } from '../database/database';
import { fileReplaced, toError } from '../database/database-error';
import { newPetBatches } from './new-pet-batches';
import type { PetStatements } from '../database/pet-statements';

const throwPlain = (error: unknown): never => {
  throw toError(error);
};

/** In milliseconds, well under what a statement may take. */
const longestSilence = 1_000;

const insertAll = async (
  transaction: Knex,
  { insert }: PetStatements,
  newPets: AsyncIterable<NewPet>,
): Promise<number> => {
  let count = 0;
  for await (const batch of batchesOf(newPetBatches, newPets)) {
    await insert(transaction, batch).catch(throwPlain);
    count += batch.length;
  }
  return count;
};

/** A source may be slow, and a connection that is silent for long is taken for dead, here and by servers. */
const keepAwake = async <A>(transaction: Knex, work: () => Promise<A>): Promise<A> => {
  const timer = setInterval(() => {
    transaction.raw('select 1').catch(() => undefined);
  }, longestSilence);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
};

/**
 * Adds all animals of a source in one transaction, in memory that doesn't grow with it. From its first batch on a
 * SQLite file takes no other writer until it ends. There is no second attempt: a source can be read once.
 */
export const createAllPets =
  ({ writes, petStatements, isFileIntact }: Database) =>
  (newPets: AsyncIterable<NewPet>): TE.TaskEither<ImportAborted | Unavailable, number> =>
  async () => {
    const transaction = await writes.transaction().catch(toError);
    if (transaction instanceof Error) return E.left(importAborted(transaction));
    try {
      const count = await keepAwake(transaction, () => insertAll(transaction, petStatements, newPets));
      return await attempt(async () => {
        await transaction.commit();
        // knex keeps the promise of `commit` even when it failed; the promise of the whole transaction tells.
        await transaction.executionPromise;
        if (!isFileIntact()) throw fileReplaced();
        return count;
      })();
    } catch (cause) {
      // Its own failure says nothing new: the database keeps nothing that it was not asked to commit.
      await transaction.rollback().catch(() => undefined);
      return E.left(importAborted(cause));
    }
  };
