import type * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { Deadline, Unavailable } from '../../core';
import { failedBy, isRejection } from './database/errors';
import { retryConflicts, withTimeout } from './database/transactions';
import { databaseTimeouts } from './database/timeouts';

export const maxBatchSize = 400;

/** Receives the size and duration of each finished batch. Its errors are ignored. */
export type OnBatch = (size: number, milliseconds: number) => void;

type Result<F, A> = E.Either<F | Unavailable, A>;

/**
 * Runs a batch, and returns a result for each input, in order. Rejects if nothing was stored, or if the outcome is
 * unknown.
 */
export type RunBatch<I, F, A> = (
  inputs: ReadonlyArray<I>,
  batchDeadline: number,
) => Promise<ReadonlyArray<Result<F, A> | undefined>>;

interface BatcherOptions<I, F, A> {
  readonly maxBatches: number;
  readonly runBatch: RunBatch<I, F, A>;
  readonly timeoutMs?: number;
  /** Returns the same text for inputs that can share a batch. By default, all inputs can share one. */
  readonly groupOf?: (input: I) => string;
  /** True to run each call of a batch separately after the database has rejected a statement of the batch. */
  readonly separatesRejected?: boolean;
  readonly onBatch?: OnBatch;
}

interface Call<I, F, A> {
  readonly input: I;
  readonly group: string;
  readonly beginBy: number;
  readonly end: (result: Result<F, A>) => void;
}

export const tooBusy = 'the database was too busy to start the query in time';

/**
 * Makes a function that runs concurrent calls in batches. A call never joins a batch that has started, because the
 * batch may have read older data. A batch that has timed out no longer counts towards `maxBatches`, because its
 * connection may hang.
 */
export const createBatcher = <I, F, A>({
  maxBatches,
  timeoutMs = databaseTimeouts.batchMs,
  groupOf = () => '',
  separatesRejected = false,
  runBatch,
  onBatch,
}: BatcherOptions<I, F, A>): ((input: I, deadline?: Deadline) => TaskEither<F | Unavailable, A>) => {
  let waiting: Array<Call<I, F, A>> = [];
  let runningBatches = 0;
  let isDispatchScheduled = false;

  const takeBatch = (): ReadonlyArray<Call<I, F, A>> => {
    const now = performance.now();
    const batch: Array<Call<I, F, A>> = [];
    const others: Array<Call<I, F, A>> = [];
    let group: string | undefined;
    for (const call of waiting) {
      if (call.beginBy <= now) {
        call.end(failedCall(tooBusy));
        continue;
      }
      group ??= call.group;
      const fits = call.group === group && batch.length < maxBatchSize;
      (fits ? batch : others).push(call);
    }
    waiting = others;
    return batch;
  };

  const report = (size: number, milliseconds: number): void => {
    try {
      onBatch?.(size, milliseconds);
    } catch {
      // Ignores errors of the observer, which must not stop the batcher.
    }
  };

  const run = async (batch: ReadonlyArray<Call<I, F, A>>): Promise<void> => {
    runningBatches += 1;
    const began = performance.now();
    const inputs = batch.map(({ input }) => input);
    const results = await runInTime(inputs, runBatch, timeoutMs, separatesRejected);
    for (const [index, { end }] of batch.entries())
      end(
        results[index] ??
          failedCall('internal error: a batched query returned no result for one of its calls'),
      );
    report(batch.length, performance.now() - began);
    runningBatches -= 1;
    dispatch();
  };

  const dispatch = (): void => {
    isDispatchScheduled = false;
    while (runningBatches < maxBatches) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      void run(batch);
    }
  };

  return (input, deadline = Infinity) =>
    () =>
      new Promise((end) => {
        const now = performance.now();
        const beginBy = latestBegin(Math.min(deadline, now + timeoutMs), now);
        waiting.push({ input, group: groupOf(input), beginBy, end });
        if (isDispatchScheduled || runningBatches >= maxBatches) return;
        isDispatchScheduled = true;
        setImmediate(dispatch);
      });
};

/**
 * Returns the latest time at which a call may begin, so that a quarter of its time is left, and at least
 * `minTimeLeftMs`.
 */
const latestBegin = (deadline: number, now: number): number =>
  deadline - Math.max(databaseTimeouts.minTimeLeftMs, (deadline - now) / 4);

/**
 * Runs a batch, and returns a result for each input, in order. Retries a batch that conflicts with another transaction.
 * All inputs fail with Unavailable if the batch fails, or does not end within `timeoutMs`.
 */
const runInTime = async <I, F, A>(
  inputs: ReadonlyArray<I>,
  runBatch: RunBatch<I, F, A>,
  timeoutMs: number,
  separatesRejected: boolean,
): ReturnType<RunBatch<I, F, A>> => {
  try {
    return await withTimeout((batchDeadline) => {
      const results = retryConflicts(() => runBatch(inputs, batchDeadline), batchDeadline);
      if (!separatesRejected || inputs.length === 1) return results;
      return results.catch((error: unknown) => {
        if (!isRejection(error)) throw error;
        return runSeparately(inputs, runBatch, batchDeadline);
      });
    }, timeoutMs);
  } catch (error) {
    const failed = failedBy(error);
    return inputs.map(() => failed);
  }
};

const failedCall = (message: string): E.Either<Unavailable, never> => failedBy(new Error(message));

const separateConcurrency = 4;

/**
 * Runs each input separately, a few at a time. Inputs that have not begun within `separateCallsMs`, or before
 * `batchDeadline`, fail.
 */
const runSeparately = async <I, F, A>(
  inputs: ReadonlyArray<I>,
  runBatch: RunBatch<I, F, A>,
  batchDeadline: number,
): ReturnType<RunBatch<I, F, A>> => {
  const beginBy = Math.min(batchDeadline, performance.now() + databaseTimeouts.separateCallsMs);
  const results = inputs.map((): Result<F, A> | undefined =>
    failedCall(
      'nothing was stored: the transaction that it shared with other calls failed, and no time was left to try it separately',
    ),
  );
  const queue = inputs.entries();
  const drain = async (): Promise<void> => {
    for (const [index, input] of queue) {
      if (performance.now() > beginBy) return;
      results[index] = await retryConflicts(() => runBatch([input], batchDeadline), batchDeadline).then(
        ([result]) => result,
        failedBy,
      );
    }
  };
  await Promise.all(Array.from({ length: separateConcurrency }, drain));
  return results;
};
