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
import { petFromRow } from '../database/pet-columns';
import type { Statements, StoreDatabase } from '../database/store-database';
import { keepAwake } from '../keep-awake';

const insertAll = async (
  transaction: Knex,
  { insert }: Statements,
  newPets: AsyncIterable<NewPet>,
  onIds: OnIds | undefined,
): Promise<ImportedPets> => {
  let batch: Array<NewPet> = [];
  let imported: ImportedPets = { count: 0, firstId: undefined, lastId: undefined };
  const insertBatch = async (): Promise<void> => {
    const rows = await insert(transaction, batch).catch((error: unknown) => {
      throw withoutStatement(error);
    });
    const ids = rows.map((row) => petFromRow(row).id).sort((one, other) => (one < other ? -1 : 1));
    await onIds?.(ids);
    imported = {
      count: imported.count + batch.length,
      firstId: imported.firstId ?? ids[0],
      lastId: ids.at(-1),
    };
    batch = [];
  };
  for await (const newPet of newPets) {
    batch.push(newPet);
    if (batch.length === maxBatchSize) await insertBatch();
  }
  if (batch.length > 0) await insertBatch();
  return imported;
};

export const importPets =
  ({ transaction, statements }: StoreDatabase): PetRepository['importAll'] =>
  (newPets, onIds) =>
  async () => {
    const progress = { isCommitting: false };
    try {
      const imported = await transaction(async (writes) => {
        const inserted = await keepAwake(writes, () => insertAll(writes, statements, newPets, onIds));
        // Rejects if an earlier statement failed, such as the one of `keepAwake`. PostgreSQL would answer COMMIT with
        // ROLLBACK, which Knex takes for success.
        await writes.raw('select 1');
        progress.isCommitting = true;
        return inserted;
      });
      return E.right(imported);
    } catch (cause) {
      return E.left(progress.isCommitting ? unavailable(withoutStatement(cause)) : importAborted(cause));
    }
  };
