import type * as E from 'fp-ts/Either';
import type { Unavailable } from '../../../core';
import type { RunBatch } from '../batcher';
import { reactionTo } from '../database/errors';
import { databaseTimeouts } from '../database/timeouts';
import { failedBy, retryConflicts } from '../database/work';

const maxConcurrentCreates = 4;

/**
 * Runs each input separately, a few at a time. Inputs that have not begun within `separateCreatesMs`, or before
 * `batchDeadline`, fail.
 */
const runEachAlone = async <I, F, A>(
  inputs: ReadonlyArray<I>,
  runBatch: RunBatch<I, F, A>,
  batchDeadline: number,
): ReturnType<RunBatch<I, F, A>> => {
  const startBy = Math.min(batchDeadline, performance.now() + databaseTimeouts.separateCreatesMs);
  const results = inputs.map((): E.Either<F | Unavailable, A> | undefined =>
    failedBy(
      new Error(
        'nothing was stored: the transaction that it shared with other calls failed, and no time was left to try it separately',
      ),
    ),
  );
  const queue = inputs.entries();
  const drain = async (): Promise<void> => {
    for (const [index, input] of queue) {
      if (performance.now() > startBy) return;
      results[index] = await retryConflicts(() => runBatch([input], batchDeadline), batchDeadline).then(
        ([result]) => result,
        failedBy,
      );
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentCreates }, drain));
  return results;
};

/**
 * Wraps `runBatch` so that it runs each create of a batch separately if the database rejects a statement of the batch.
 * First repeats the batch after conflicts. Leaves the repetition of a single create to the batcher.
 */
export const separateRejected =
  <I, F, A>(runBatch: RunBatch<I, F, A>): RunBatch<I, F, A> =>
  (inputs, batchDeadline) =>
    inputs.length === 1
      ? runBatch(inputs, batchDeadline)
      : retryConflicts(() => runBatch(inputs, batchDeadline), batchDeadline).catch((error: unknown) => {
          if (reactionTo(error) === 'none') throw error;
          return runEachAlone(inputs, runBatch, batchDeadline);
        });
