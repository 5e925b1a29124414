import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { isInt64, petNotFound, type PetMaintenance, validPetChanges } from '../../../core';
import { type Operator, recordPets } from '../record-change';
import { changedCells } from '../database/pet-columns';
import type { StoreDatabase } from '../database/store-database';
import { eitherToTaskEither, toTaskEither } from '../database/errors';
import { retryConflicts } from '../database/transactions';
import { inBatches } from './in-batches';
import { findPets } from './read';

export const makeUpdate =
  ({ runTransaction, statements }: StoreDatabase, operator?: Operator): PetMaintenance['update'] =>
  (id, changes) => {
    const checked = validPetChanges(changes);
    if (E.isLeft(checked)) return TE.fromEither(checked);
    return eitherToTaskEither(() =>
      retryConflicts(() =>
        runTransaction(async (knex) => {
          const connection = { knex, statements };
          const cells = changedCells(checked.right);
          if (isInt64(id) && Object.keys(cells).length > 0) {
            await recordPets(connection, operator, 'pets update', [id]);
            await knex('pets').where({ id: id.toString() }).update(cells);
          }
          const [result = E.left(petNotFound(id))] = await findPets(connection, [id]);
          // Throws to roll back the update, because every list that reads this invalid row would fail.
          if (E.isLeft(result) && result.left._tag === 'Unavailable') throw result.left.cause;
          return result;
        }),
      ),
    );
  };

const deleteBatchSize = 400;

export const makeDeleteByIds =
  ({ runTransaction, statements }: StoreDatabase, operator?: Operator): PetMaintenance['deleteByIds'] =>
  (ids) =>
    toTaskEither(() =>
      // Runs the transaction only once, even after a conflict, because `ids` may be readable only once.
      runTransaction(async (knex) => {
        let count = 0;
        for await (const batch of inBatches(ids, deleteBatchSize)) {
          const validIds = batch.filter(isInt64);
          await recordPets({ knex, statements }, operator, 'pets delete', validIds);
          count += await knex('pets').whereIn('id', validIds.map(String)).delete();
        }
        return count;
      }),
    );
