import * as E from 'fp-ts/Either';
import {
  type ImportedPets,
  importAborted,
  type NewPet,
  type OnIds,
  type Pet,
  type PetMaintenance,
  unavailable,
  validNewPet,
} from '../../../core';
import { createdByImport, type Operator } from '../record-change';
import { withoutStatement } from '../database/errors';
import { keepAwake } from '../database/transactions';
import type { Connection, StoreDatabase } from '../database/store-database';
import { insertPets } from './create';
import { readAhead } from './in-batches';

export const makeImportAll =
  ({ runTransaction, statements }: StoreDatabase, operator?: Operator): PetMaintenance['importAll'] =>
  (newPets, onIds) =>
  async () => {
    const progress = { isCommitting: false };
    try {
      const imported = await runTransaction(async (transaction) => {
        const inserted = await statements.duringImport(transaction, () =>
          keepAwake(transaction, (signal) =>
            insertAll({ knex: transaction, statements }, newPets, createdByImport(operator), onIds, signal),
          ),
        );
        // Sends a statement that rejects if an earlier one failed, such as that of `keepAwake`. Otherwise PostgreSQL
        // would answer COMMIT with ROLLBACK, which Knex takes for success.
        await transaction.raw('select 1');
        progress.isCommitting = true;
        return inserted;
      });
      return E.right(imported);
    } catch (cause) {
      return E.left(progress.isCommitting ? unavailable(withoutStatement(cause)) : importAborted(cause));
    }
  };

// Fastest of the measured sizes from 1,000 to 10,000.
const importBatchSize = 3_000;

// Sends each insert before it reads the result of the previous one, so that the database never waits for this process.
const insertAll = async (
  connection: Connection,
  newPets: AsyncIterable<NewPet>,
  createdBy: string,
  onIds: OnIds | undefined,
  signal: AbortSignal,
): Promise<ImportedPets> => {
  let imported: ImportedPets = { count: 0, firstId: undefined, lastId: undefined };
  const finish = async (inserted: Promise<ReadonlyArray<Pet>>): Promise<void> => {
    const pets = await inserted.catch((error: unknown) => {
      throw withoutStatement(error);
    });
    const ids = pets.map(({ id }) => id);
    await onIds?.(ids);
    const { count, firstId = ids[0] } = imported;
    imported = { count: count + ids.length, firstId, lastId: ids.at(-1) };
  };
  let last: Promise<ReadonlyArray<Pet>> | undefined;
  for await (const batch of readAhead(newPets, importBatchSize, signal)) {
    const creates = batch.map((newPet) => ({ newPet: requireValid(newPet), createdBy }));
    const inserted = insertPets(connection, creates);
    // Prevents an unhandled rejection. If the previous insert fails, nothing awaits this promise.
    inserted.catch(() => undefined);
    if (last !== undefined) await finish(last);
    last = inserted;
  }
  if (last !== undefined) await finish(last);
  return imported;
};

const requireValid = (newPet: NewPet): NewPet => {
  const checked = validNewPet(newPet);
  if (E.isLeft(checked)) throw checked.left.cause;
  return checked.right;
};
