import * as E from 'fp-ts/Either';
import { type Deadline, endAtDeadline } from '../../core';
import { toTaskEither } from './database/errors';

/**
 * Minimum time that must remain before a deadline to start a database call. A call that starts later would time out
 * midway, with an unknown outcome.
 */
const minTimeLeftMs = 20;

export type OnBatch = (size: number, milliseconds: number) => void;

interface Options<K, V> {
  readonly maxBatchSize: number;
  /** Maximum number of batches that run at the same time. */
  readonly concurrency: number;
  readonly timeoutMs: number;
  /** Returns a text that is equal for calls which can share a batch. By default, all can. */
  readonly batchKey?: (key: K) => string;
  /** Returns a result or an error for each key, in the order of `keys`. */
  readonly runBatch: (keys: ReadonlyArray<K>) => Promise<ReadonlyArray<V | Error | undefined>>;
  readonly onBatch?: OnBatch | undefined;
}

/**
 * Maximum time for which `setImmediate` keeps the event loop awake while a batch of a single call runs. A sleeping
 * event loop takes about 50 µs to wake, which would make the reads of a single client a fifth slower. With several
 * calls in the batch, the requests of other clients need that processor time.
 */
const keepAwakeMs = 0.3;

interface Call<K, V> {
  readonly key: K;
  readonly batchKey: string;
  readonly beginBy: number;
  readonly resolve: (value: V) => void;
  readonly reject: (error: Error) => void;
}

/** Returns the time at which a call gives up waiting for its batch to begin, so that the batch can end in time. */
const latestBegin = (deadline: number, now: number): number =>
  deadline - Math.max(minTimeLeftMs, (deadline - now) / 4);

/**
 * Makes a function that runs concurrent calls together, in batches; pets/read.ts, pets/create.ts and
 * api-keys/knex-authenticate.ts use it. While `concurrency` batches are running, new calls are queued and become the
 * next batch. While fewer batches are running, the calls of one tick of the event loop form a batch. A call never joins
 * a batch that has started, because the result could be stale. A call rejects if its batch can't begin early enough
 * before the deadline of the call, or does not end within `timeoutMs`.
 */
export const createBatcher = <K, V extends object>({
  maxBatchSize,
  concurrency,
  timeoutMs,
  batchKey = () => '',
  runBatch,
  onBatch,
}: Options<K, V>): ((key: K, deadline?: Deadline) => Promise<V>) => {
  let waiting: Array<Call<K, V>> = [];
  let runningBatches = 0;
  let isDispatchSet = false;
  let lastBatchMs = Infinity;

  const keepAwakeUntil = (time: number): void => {
    if (runningBatches > 0 && performance.now() < time) setImmediate(keepAwakeUntil, time);
  };

  /** Takes the oldest call and others with its batch key from the queue. Rejects calls that waited too long. */
  const takeBatch = (): ReadonlyArray<Call<K, V>> => {
    const now = performance.now();
    const batch: Array<Call<K, V>> = [];
    const left: Array<Call<K, V>> = [];
    for (const call of waiting) {
      if (call.beginBy <= now) {
        call.reject(new Error('the database was too busy to start the query in time'));
      } else if (batch.length < maxBatchSize && call.batchKey === (batch[0] ?? call).batchKey) {
        batch.push(call);
      } else left.push(call);
    }
    waiting = left;
    return batch;
  };

  const run = async (batch: ReadonlyArray<Call<K, V>>): Promise<void> => {
    runningBatches += 1;
    const began = performance.now();
    if (batch.length === 1 && lastBatchMs < keepAwakeMs) keepAwakeUntil(began + keepAwakeMs);
    const keys = batch.map(({ key }) => key);
    const answers = await endAtDeadline(
      toTaskEither(() => runBatch(keys)),
      began + timeoutMs,
    )();
    runningBatches -= 1;
    lastBatchMs = performance.now() - began;
    onBatch?.(batch.length, lastBatchMs);
    for (const [place, { resolve, reject }] of batch.entries()) {
      const answer = E.isLeft(answers) ? answers.left.cause : answers.right[place];
      if (answer instanceof Error) reject(answer);
      else if (answer !== undefined) resolve(answer);
      else reject(new Error('internal error: a batched query returned no result for one of its calls'));
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
    new Promise((resolve, reject) => {
      const now = performance.now();
      const beginBy = latestBegin(Math.min(deadline, now + timeoutMs), now);
      waiting.push({ key, batchKey: batchKey(key), beginBy, resolve, reject });
      if (isDispatchSet || runningBatches >= concurrency) return;
      isDispatchSet = true;
      setImmediate(dispatch);
    });
};
