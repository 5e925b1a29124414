import * as E from 'fp-ts/Either';
import type { Knex } from 'knex';
import {
  type ImportedPets,
  importAborted,
  type NewPet,
  type OnIds,
  type PetRepository,
  unavailable,
} from '../../../core';
import { maxBatchSize } from '../batcher';
import { withoutStatement } from '../database/errors';
import type { Statements, StoreDatabase } from '../database/store-database';
import { keepAwake } from '../database/work';
import { insertPets } from './create';

/** Yields the elements of a source in batches that each fit into one statement. An abort ends it at the next element. */
export async function* inBatches<A>(
  source: Iterable<A> | AsyncIterable<A>,
  signal?: AbortSignal,
): AsyncGenerator<ReadonlyArray<A>> {
  let batch: Array<A> = [];
  for await (const element of source) {
    signal?.throwIfAborted();
    batch.push(element);
    if (batch.length < maxBatchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const insertAll = async (
  transaction: Knex.Transaction,
  statements: Statements,
  newPets: AsyncIterable<NewPet>,
  onIds: OnIds | undefined,
  signal: AbortSignal,
): Promise<ImportedPets> => {
  let imported: ImportedPets = { count: 0, firstId: undefined, lastId: undefined };
  for await (const batch of inBatches(newPets, signal)) {
    const pets = await insertPets(transaction, statements, batch).catch((error: unknown) => {
      throw withoutStatement(error);
    });
    const ids = pets.map(({ id }) => id);
    await onIds?.(ids);
    const { count, firstId = ids[0] } = imported;
    imported = { count: count + ids.length, firstId, lastId: ids.at(-1) };
  }
  return imported;
};

export const importPets =
  ({ transaction, statements }: StoreDatabase): PetRepository['importAll'] =>
  (newPets, onIds) =>
  async () => {
    const progress = { isCommitting: false };
    try {
      const imported = await transaction(async (writes) => {
        const inserted = await keepAwake(writes, (signal) =>
          insertAll(writes, statements, newPets, onIds, signal),
        );
        // Rejects if an earlier statement failed, such as the one of `keepAwake`. Otherwise PostgreSQL would answer
        // COMMIT with ROLLBACK, which Knex takes for success.
        await writes.raw('select 1');
        progress.isCommitting = true;
        return inserted;
      });
      return E.right(imported);
    } catch (cause) {
      return E.left(progress.isCommitting ? unavailable(withoutStatement(cause)) : importAborted(cause));
    }
  };
