import * as E from 'fp-ts/Either';
import type { Knex } from 'knex';
import { petNotFound, type PetRepository } from '../../../core';
import { maxBatchSize, retryConflicts } from '../batcher';
import { eitherToTaskEither, toTaskEither } from '../database/errors';
import { changedCells } from '../database/pet-columns';
import type { StoreDatabase } from '../database/store-database';
import { findPets } from './read';

/** Changes the row before it reads it: SQLite can't write after a read if another connection has written. */
export const updatePet =
  ({ transaction, statements }: StoreDatabase): PetRepository['update'] =>
  (id, changes) =>
    eitherToTaskEither(() =>
      retryConflicts(() =>
        transaction(async (writes) => {
          await writes('pets').where({ id: id.toString() }).update(changedCells(changes));
          const [found = E.left(petNotFound(id))] = await findPets(writes, statements, [id]);
          if (found instanceof Error) throw found;
          return found;
        }),
      ),
    );

const deleteSome = (writes: Knex, ids: ReadonlyArray<string>): Promise<number> =>
  writes('pets').whereIn('id', ids).delete();

export const deletePets =
  ({ transaction }: StoreDatabase): PetRepository['deleteAll'] =>
  (ids) =>
    toTaskEither(() =>
      transaction(async (writes) => {
        let [count, batch]: [number, Array<string>] = [0, []];
        for (const id of ids) {
          batch.push(id.toString());
          if (batch.length < maxBatchSize) continue;
          count += await deleteSome(writes, batch);
          batch = [];
        }
        return count + (batch.length === 0 ? 0 : await deleteSome(writes, batch));
      }),
    );
