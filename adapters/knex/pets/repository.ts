import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import {
  idempotencyKeyInFlight,
  type ImportAborted,
  importAborted,
  type ImportedPets,
  type NewPet,
  type PetRepository,
  scopedIdempotencyKeyText,
  type Unavailable,
  unavailable,
} from '../../../core';
import { databaseTimeouts } from '../timeouts';
import type { OnBatch } from '../batcher';
import type { StoreDatabase, Statements } from '../database/store-database';
import { withoutStatement } from '../database/errors';
import { petFromRow } from '../database/pet-columns';
import { createPets, maxBatchSize } from './create';
import { readPages, readPets } from './read';

const insertAll = async (
  transaction: Knex,
  { insert }: Statements,
  newPets: AsyncIterable<NewPet>,
): Promise<ImportedPets> => {
  let batch: Array<NewPet> = [];
  let imported: ImportedPets = { count: 0, firstId: undefined, lastId: undefined };
  const insertBatch = async (): Promise<void> => {
    const rows = await insert(transaction, batch).catch((error: unknown) => {
      throw withoutStatement(error);
    });
    const ids = rows.map((row) => petFromRow(row).id).sort((one, other) => (one < other ? -1 : 1));
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

/**
 * Runs work and sends a statement every second. Otherwise a server or proxy may close the idle connection while the
 * import waits for slow input. Rejects if such a statement fails, because the transaction is then lost.
 */
const keepAwake = async <A>(transaction: Knex, work: () => Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined;
  const failure = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      transaction.raw('select 1').catch((error: unknown) => {
        reject(withoutStatement(error));
      });
    }, databaseTimeouts.importKeepAliveMs);
  });
  try {
    return await Promise.race([work(), failure]);
  } finally {
    clearInterval(timer);
  }
};

const importAll =
  ({ transaction, statements }: StoreDatabase) =>
  (newPets: AsyncIterable<NewPet>): TaskEither<ImportAborted | Unavailable, ImportedPets> =>
  async () => {
    const progress = { isCommitting: false };
    try {
      const imported = await transaction(async (writes) => {
        const inserted = await keepAwake(writes, () => insertAll(writes, statements, newPets));
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

/**
 * Observer of a repository, for metrics. `batch` gets the size and the duration of each batch that has succeeded or
 * failed, and must not throw. A batch of `create` ends with its commit. `importAll` does not call the observer.
 */
export interface RepositoryObserver {
  readonly batch: (operation: 'list' | 'find' | 'create', size: number, milliseconds: number) => void;
}

interface Options {
  /** Clock in milliseconds since 1970, for the expiry of idempotency keys. */
  readonly now?: () => number;
  readonly observer?: RepositoryObserver | undefined;
}

/**
 * Makes a repository on a SQL database. Concurrent requests share queries and commits. app/backend/backend.ts calls it
 * for the service, and app/backend/database.ts for `import` and `export`. Except for imports, a query that takes
 * longer than 4 s fails with Unavailable. A call whose deadline is too near fails so before its query begins.
 */
export const knexPetRepository = (
  database: StoreDatabase,
  { now = Date.now, observer }: Options = {},
): PetRepository => {
  const onBatch =
    (operation: Parameters<RepositoryObserver['batch']>[0]): OnBatch =>
    (size, milliseconds) =>
      observer?.batch(operation, size, milliseconds);
  const { callMs } = databaseTimeouts;
  const create = createPets(database, now, callMs, onBatch('create'));
  const inFlight = new Set<string>();

  return {
    list: readPages(database, callMs, onBatch('list')),
    find: readPets(database, callMs, onBatch('find')),
    create: (newPet, key, deadline) => {
      const created = create({ newPet, key }, deadline);
      if (key === undefined) return created;
      const name = scopedIdempotencyKeyText(key);
      return async () => {
        if (inFlight.has(name)) return E.left(idempotencyKeyInFlight);
        inFlight.add(name);
        return created().finally(() => inFlight.delete(name));
      };
    },
    importAll: importAll(database),
  };
};
