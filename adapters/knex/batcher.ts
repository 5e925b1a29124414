import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { setTimeout as delay } from 'node:timers/promises';
import { type Deadline, type Unavailable, unavailable } from '../../core';
import { isConflict, isStatementError, withoutStatement } from './database/errors';
import { databaseTimeouts, withTimeout } from './timeouts';

/** Maximum number of calls that share a statement, or of rows that one statement adds or deletes. */
export const maxBatchSize = 400;

/**
 * Minimum time between the start of a database call and its deadline. A call with less time could time out midway, with
 * an unknown outcome.
 */
const minTimeLeftMs = 20;

/** Result of one call in a batch. An Error makes the call fail with Unavailable. */
export type Result<F, A> = E.Either<F, A> | Error;

/** Runs a batch in one statement or transaction. Returns a result for each key, in the order of `keys`. */
type RunBatch<K, F, A> = (keys: ReadonlyArray<K>) => Promise<ReadonlyArray<Result<F, A> | undefined>>;

/** Receives the size and the duration of each batch that has succeeded or failed. Must not throw. */
export type OnBatch = (size: number, milliseconds: number) => void;

interface BatcherOptions<K, F, A> {
  /** Maximum number of batches that run at the same time. */
  readonly concurrency: number;
  readonly timeoutMs?: number;
  /** Returns the same text for calls that can share a batch. By default, all calls can. */
  readonly batchKey?: (key: K) => string;
  readonly runBatch: RunBatch<K, F, A>;
  /** True to run each call of a batch separately if the database rejects a statement of the batch. */
  readonly separatesRejected?: boolean;
  readonly onBatch?: OnBatch;
}

interface Call<K, F, A> {
  readonly key: K;
  readonly batchKey: string;
  readonly beginBy: number;
  readonly end: (result: Result<F, A>) => void;
}

/**
 * Returns the latest time at which the batch of a call may begin. At that time, a quarter of the call's time is left,
 * but at least `minTimeLeftMs`.
 */
const latestBegin = (deadline: number, now: number): number =>
  deadline - Math.max(minTimeLeftMs, (deadline - now) / 4);

const noResult = (): Error =>
  new Error('internal error: a batched query returned no result for one of its calls');

const attempts = 6;

const conflictDelayMs = 4;

/** Runs work, and runs it again if it conflicts with another transaction, at most `attempts` times in all. */
export const retryConflicts = async <A>(work: () => Promise<A>): Promise<A> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isConflict(error)) throw error;
      await delay(Math.random() * conflictDelayMs * 2 ** attempt);
    }
  }
};

const maxConcurrentRetries = 4;

/** Runs each call separately, a few at a time. Calls that have not started after `createRetryMs` fail. */
const runEachAlone = async <K, F, A>(
  keys: ReadonlyArray<K>,
  runBatch: RunBatch<K, F, A>,
): ReturnType<RunBatch<K, F, A>> => {
  const until = performance.now() + databaseTimeouts.createRetryMs;
  const results = keys.map(
    (): Result<F, A> | undefined =>
      new Error(
        'nothing was stored: the transaction that it shared with other calls failed, and no time was left to try it separately',
      ),
  );
  const queue = keys.entries();
  const drain = async (): Promise<void> => {
    for (const [place, key] of queue) {
      if (performance.now() > until) return;
      results[place] = await retryConflicts(() => runBatch([key])).then(
        ([result]) => result,
        withoutStatement,
      );
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentRetries }, drain));
  return results;
};

/**
 * Makes a function that runs concurrent calls together, in batches. While `concurrency` batches are running, new calls
 * are queued for the next batches. While fewer batches are running, the calls of one tick of the event loop form a
 * batch. A call never joins a batch that has started, because the result could be stale. A batch that conflicts with
 * another transaction is retried. A call fails with Unavailable if its batch fails, can't begin early enough before the
 * call's deadline, or does not end within `timeoutMs`.
 */
export const createBatcher = <K, F, A>({
  concurrency,
  timeoutMs = databaseTimeouts.callMs,
  batchKey = () => '',
  runBatch,
  separatesRejected = false,
  onBatch,
}: BatcherOptions<K, F, A>): ((key: K, deadline?: Deadline) => TaskEither<F | Unavailable, A>) => {
  let waiting: Array<Call<K, F, A>> = [];
  let runningBatches = 0;
  let isDispatchSet = false;

  /** Takes the oldest call, and others with the same batch key, from the queue. Fails calls that waited too long. */
  const takeBatch = (): ReadonlyArray<Call<K, F, A>> => {
    const now = performance.now();
    const batch: Array<Call<K, F, A>> = [];
    const left: Array<Call<K, F, A>> = [];
    for (const call of waiting) {
      if (call.beginBy <= now) {
        call.end(new Error('the database was too busy to start the query in time'));
        continue;
      }
      const fits = batch.length < maxBatchSize && call.batchKey === (batch[0] ?? call).batchKey;
      (fits ? batch : left).push(call);
    }
    waiting = left;
    return batch;
  };

  const runTogether: RunBatch<K, F, A> = async (keys) => {
    try {
      return await retryConflicts(() => runBatch(keys));
    } catch (error) {
      if (!separatesRejected || keys.length === 1 || !isStatementError(error)) throw error;
      return runEachAlone(keys, runBatch);
    }
  };

  const run = async (batch: ReadonlyArray<Call<K, F, A>>): Promise<void> => {
    runningBatches += 1;
    const began = performance.now();
    const keys = batch.map(({ key }) => key);
    const results = await withTimeout(runTogether(keys), timeoutMs).catch(withoutStatement);
    runningBatches -= 1;
    onBatch?.(batch.length, performance.now() - began);
    for (const [place, { end }] of batch.entries()) {
      end(results instanceof Error ? results : (results[place] ?? noResult()));
    }
    dispatch();
  };

  const dispatch = (): void => {
    isDispatchSet = false;
    while (runningBatches < concurrency) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      void run(batch);
    }
  };

  return (key, deadline = Infinity) =>
    () =>
      new Promise((resolve) => {
        const now = performance.now();
        const beginBy = latestBegin(Math.min(deadline, now + timeoutMs), now);
        const end = (result: Result<F, A>): void => {
          resolve(result instanceof Error ? E.left(unavailable(result)) : result);
        };
        waiting.push({ key, batchKey: batchKey(key), beginBy, end });
        if (isDispatchSet || runningBatches >= concurrency) return;
        isDispatchSet = true;
        setImmediate(dispatch);
      });
};
