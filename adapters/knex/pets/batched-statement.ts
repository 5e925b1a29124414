import type { TaskEither } from 'fp-ts/TaskEither';
import type { Deadline, Unavailable } from '../../../core';
import { type BatcherOptions, createBatcher, type Result } from '../batcher';
import { isStatementError, withoutStatement } from '../database/errors';
import type { StoreDatabase } from '../database/store-database';
import { retryConflicts } from '../database/transactions';
import { databaseTimeouts } from '../timeouts';

/** Maximum size of a batch: of calls that share a statement, or of rows that one statement adds or deletes. */
export const maxBatchSize = 400;

/**
 * Observer of a repository, for metrics. `batch` gets the size and the duration of each batch that has succeeded or
 * failed, and must not throw. A batch of `create` ends with its commit. `importAll` does not call the observer.
 */
export interface RepositoryObserver {
  readonly batch: (operation: 'list' | 'find' | 'create', size: number, milliseconds: number) => void;
}

type Results<F, A> = ReadonlyArray<Result<F, A> | undefined>;

/** Statement or transaction that serves several concurrent calls of an operation. */
interface BatchedStatement<K, F, A> extends Pick<BatcherOptions<K, F, A>, 'batchKey'> {
  readonly operation: Parameters<RepositoryObserver['batch']>[0];
  /** Returns a result for each call, in the order of `calls`. */
  readonly run: (calls: ReadonlyArray<K>) => Promise<Results<F, A>>;
}

type RunBatched<K, F, A> = (call: K, deadline?: Deadline) => TaskEither<F | Unavailable, A>;

/** Makes a function whose concurrent calls share a read. A read that conflicts with another transaction is retried. */
export const batchedRead = <K, F, A>(
  { concurrency }: StoreDatabase,
  observer: RepositoryObserver | undefined,
  { operation, run, ...options }: BatchedStatement<K, F, A>,
): RunBatched<K, F, A> =>
  createBatcher({
    ...options,
    maxBatchSize,
    concurrency: concurrency.reads,
    timeoutMs: databaseTimeouts.callMs,
    runBatch: (calls) => retryConflicts(() => run(calls)),
    onBatch: (size, milliseconds) => observer?.batch(operation, size, milliseconds),
  });

const maxConcurrentRetries = 4;

/** Runs each call separately, a few at a time, until the time limit. */
const runEachAlone = async <K, F, A>(
  calls: ReadonlyArray<K>,
  run: (calls: ReadonlyArray<K>) => Promise<Results<F, A>>,
): Promise<Results<F, A>> => {
  const until = performance.now() + databaseTimeouts.createRetryMs;
  const results = calls.map(
    (): Result<F, A> | undefined =>
      new Error(
        'nothing was stored: the transaction that it shared with other calls failed, and no time was left to try it separately',
      ),
  );
  const queue = calls.entries();
  const drain = async (): Promise<void> => {
    for (const [place, call] of queue) {
      if (performance.now() > until) return;
      results[place] = await run([call]).then(([result]) => result, withoutStatement);
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentRetries }, drain));
  return results;
};

/**
 * Makes a function whose concurrent calls share a transaction, and so a commit. A transaction that conflicts with
 * another one is retried. If the database rejects a statement, each call is retried in a transaction of its own.
 */
export const batchedWrite = <K, F, A>(
  { concurrency }: StoreDatabase,
  observer: RepositoryObserver | undefined,
  { operation, run, ...options }: BatchedStatement<K, F, A>,
): RunBatched<K, F, A> => {
  const runTogether = (calls: ReadonlyArray<K>) => retryConflicts(() => run(calls));
  return createBatcher({
    ...options,
    maxBatchSize,
    concurrency: concurrency.writes,
    timeoutMs: databaseTimeouts.callMs,
    runBatch: (calls) =>
      runTogether(calls).catch((error: unknown) => {
        if (calls.length === 1 || !isStatementError(error)) throw error;
        return runEachAlone(calls, runTogether);
      }),
    onBatch: (size, milliseconds) => observer?.batch(operation, size, milliseconds),
  });
};
