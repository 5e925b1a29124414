import * as E from 'fp-ts/Either';
import {
  scopedIdempotencyKeyText,
  idempotencyKeyInFlight,
  type PetId,
  type PetRepository,
} from '../../../core';
import { attempt, attemptEither } from '../database/attempt';
import { batchWhileBusy } from '../batching/batch-while-busy';
import { createAllPets } from './create-all-pets';
import { createPets } from './create-pets';
import type { Database } from '../database/database';
import { creationBatches, maxBatchSize } from './new-pet-batches';
import { findPets } from './find-pets';
import { observed } from '../batching/observed';
import { kindOfPage, readPages } from './read-pages';
import type { RepositoryObserver } from '../batching/repository-observer';
import { retryConflicts } from '../database/retry-conflicts';

/** How long an operation waits for the database, in milliseconds: an answer within 5 s, whatever happens to it. */
const timeoutMs = 4_000;

interface Options {
  /** The time in milliseconds since 1970; by it idempotency keys expire. By default a clock that never jumps. */
  readonly now?: () => number;
  readonly observer?: RepositoryObserver | undefined;
}

/** The repository in a SQL database. Requests that arrive together share its queries and its commits. */
export const knexPetRepository = (
  database: Database,
  { now = () => performance.timeOrigin + performance.now(), observer }: Options = {},
): PetRepository => {
  const { reads, petStatements, lanes } = database;
  const reading = { maxBatchSize, lanes: lanes.reads, timeoutMs };
  const list = batchWhileBusy({
    ...reading,
    kindOf: kindOfPage,
    runBatch: observed(observer, 'list', readPages(database)),
  });
  const find = batchWhileBusy({
    ...reading,
    runBatch: observed(observer, 'find', (ids: ReadonlyArray<PetId>) =>
      retryConflicts(() => findPets(reads, petStatements, ids)),
    ),
  });
  const create = batchWhileBusy({
    ...creationBatches,
    lanes: lanes.writes,
    timeoutMs,
    // The columns of times are of whole milliseconds.
    runBatch: observed(
      observer,
      'create',
      createPets(database, () => Math.round(now())),
    ),
  });
  const inFlight = new Set<string>();

  return {
    list: (query, deadline) => attempt(() => list(query, deadline)),
    find: (id, deadline) => attemptEither(() => find(id, deadline)),
    create: (newPet, key, deadline) => {
      const creation = attemptEither(() => create({ newPet, key }, deadline));
      if (key === undefined) return creation;
      const name = scopedIdempotencyKeyText(key);
      return async () => {
        if (inFlight.has(name)) return E.left(idempotencyKeyInFlight);
        inFlight.add(name);
        return creation().finally(() => inFlight.delete(name));
      };
    },
    createAll: createAllPets(database),
  };
};
