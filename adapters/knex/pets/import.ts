import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import { type ImportAborted, importAborted, type NewPet, type Unavailable, unavailable } from '../../../core';
import { batchBudget, type BatchLimits } from '../batcher';
import type { Database, PetStatements } from '../database/database';
import { fileReplaced, toError } from '../database/errors';
import { inTransaction } from '../database/transactions';
import { newPetBatches } from './create';
import { databaseTimeouts } from '../../../core/timeouts';

const throwPlain = (error: unknown): never => {
  throw toError(error);
};

/** Splits a source into batches. Reads at most one member ahead. */
async function* chunk<A>(limits: BatchLimits<A>, source: AsyncIterable<A>): AsyncGenerator<ReadonlyArray<A>> {
  let batch: Array<A> = [];
  let fits = batchBudget(limits);
  for await (const one of source) {
    if (!fits(one)) {
      yield batch;
      batch = [];
      fits = batchBudget(limits);
      fits(one);
    }
    batch.push(one);
  }
  if (batch.length > 0) yield batch;
}

const insertAll = async (
  transaction: Knex,
  { insert }: PetStatements,
  newPets: AsyncIterable<NewPet>,
): Promise<number> => {
  let count = 0;
  for await (const batch of chunk(newPetBatches, newPets)) {
    await insert(transaction, batch).catch(throwPlain);
    count += batch.length;
  }
  return count;
};

/**
 * Runs work and sends a statement every second, since servers and proxies close idle connections and a source may be slow.
 * Rejects if such a statement fails, as the transaction is then lost.
 */
const keepAwake = async <A>(transaction: Knex, work: () => Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined;
  const failure = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      transaction.raw('select 1').catch((error: unknown) => {
        reject(toError(error));
      });
    }, databaseTimeouts.importSilenceMs);
  });
  try {
    return await Promise.race([work(), failure]);
  } finally {
    clearInterval(timer);
  }
};

/**
 * Streams all animals of a source into one transaction. It never retries, since a source can be read once. On SQLite other
 * writers wait from the first batch until the end.
 */
export const importPets =
  ({ writes, petStatements, isFileIntact }: Database) =>
  (newPets: AsyncIterable<NewPet>): TE.TaskEither<ImportAborted | Unavailable, number> =>
  async () => {
    const progress = { isCommitting: false };
    try {
      const count = await inTransaction(writes, async (transaction) => {
        const inserted = await keepAwake(transaction, () => insertAll(transaction, petStatements, newPets));
        progress.isCommitting = true;
        return inserted;
      });
      return (await isFileIntact()) ? E.right(count) : E.left(unavailable(fileReplaced()));
    } catch (cause) {
      return E.left(progress.isCommitting ? unavailable(toError(cause)) : importAborted(cause));
    }
  };
