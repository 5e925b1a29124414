import * as E from 'fp-ts/Either';
import { isInt64, petNotFound, type PetRepository } from '../../../core';
import { type Operator, recordPets } from '../changes';
import { changedCells } from '../database/pet-columns';
import type { StoreDatabase } from '../database/store-database';
import { eitherToTaskEither, retryConflicts, toTaskEither } from '../database/work';
import { inBatches } from './in-batches';
import { findPets } from './read';

export const updatePet =
  ({ transaction, statements }: StoreDatabase, operator?: Operator): PetRepository['update'] =>
  (id, changes) =>
    eitherToTaskEither(() =>
      retryConflicts(() =>
        transaction(async (writes) => {
          const cells = changedCells(changes);
          if (isInt64(id) && Object.keys(cells).length > 0) {
            await recordPets(writes, statements, operator, 'pets update', [id]);
            await writes('pets').where({ id: id.toString() }).update(cells);
          }
          const [result = E.left(petNotFound(id))] = await findPets(writes, statements, [id]);
          return result;
        }),
      ),
    );

export const deletePets =
  ({ transaction, statements }: StoreDatabase, operator?: Operator): PetRepository['deleteByIds'] =>
  (ids) =>
    toTaskEither(() =>
      transaction(async (writes) => {
        let count = 0;
        for await (const batch of inBatches(ids)) {
          const known = batch.filter(isInt64);
          await recordPets(writes, statements, operator, 'pets delete', known);
          count += await writes('pets').whereIn('id', known.map(String)).delete();
        }
        return count;
      }),
    );
