import { flow, pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import { type ImportAborted, importAborted, type NewPet, type Unavailable } from '../../core';
import { attempt } from './attempt';
import { batchesOf } from './batches-of';
import { toError } from './database-error';
import { rowOfNewPet } from './pet-rows';

/** Animals in one insert: under SQLite's 500 terms of a compound select. */
const batchSize = 400;

const insert = async (transaction: Knex, newPets: ReadonlyArray<NewPet>): Promise<void> => {
  try {
    await transaction('pets').insert(newPets.map(rowOfNewPet));
  } catch (error) {
    throw toError(error);
  }
};

const insertAll = async (transaction: Knex, newPets: AsyncIterable<NewPet>): Promise<number> => {
  let count = 0;
  for await (const batch of batchesOf(batchSize, newPets)) {
    await insert(transaction, batch);
    count += batch.length;
  }
  return count;
};

/** Its own failure says nothing new: the database keeps nothing that it was not asked to commit. */
const rollBack = (transaction: Knex.Transaction): TE.TaskEither<never, unknown> =>
  TE.fromTask(() => transaction.rollback().catch(() => undefined));

/** The promise of `commit` is kept even when the commit failed; the one of the whole transaction is not. */
const commit = (transaction: Knex.Transaction): TE.TaskEither<Unavailable, unknown> =>
  attempt(() => transaction.commit().then((): Promise<unknown> => transaction.executionPromise));

/**
 * Adds all animals of a source in one transaction, in memory that doesn't grow with it. From its first batch on a
 * SQLite file takes no other writer until it ends. There is no second attempt: a source can be read once.
 */
export const createAllPets =
  (writes: Knex) =>
  (newPets: AsyncIterable<NewPet>): TE.TaskEither<ImportAborted | Unavailable, number> =>
    pipe(
      TE.tryCatch(() => writes.transaction(), flow(toError, importAborted)),
      TE.flatMap((transaction) =>
        pipe(
          TE.tryCatch(() => insertAll(transaction, newPets), importAborted),
          TE.tapError(() => rollBack(transaction)),
          TE.tap(() => commit(transaction)),
        ),
      ),
    );
