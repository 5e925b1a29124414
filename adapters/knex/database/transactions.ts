import type { Knex } from 'knex';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError, isConflict, withoutStatement } from './errors';
import { databaseTimeouts } from './timeouts';

type Work<A> = (transaction: Knex.Transaction) => Promise<A>;

export interface TransactionOptions {
  /** Deadline by `performance.now()`. Work that ends later is rolled back, because its callers have timed out. */
  readonly deadline?: number | undefined;
  readonly config?: Knex.TransactionConfig;
  /** Runs after the work, if there is time left to commit. */
  readonly finishWork?: (transaction: Knex.Transaction) => Promise<void>;
}

const timeoutError = (message: string): Error => new DatabaseError('ETIMEDOUT', message);

/** Throws if the deadline has passed, because the callers of the work have timed out. */
export const throwIfLate = (deadline: number): void => {
  if (performance.now() > deadline) throw timeoutError('the calls of this batch have timed out');
};

/**
 * Runs work in a transaction, and rolls back if the work rejects or ends too late. The work must reject if a statement
 * fails. Otherwise PostgreSQL answers COMMIT with ROLLBACK, which Knex takes for success.
 */
export const inTransaction = async <A>(
  knex: Knex,
  work: Work<A>,
  { deadline = Infinity, config, finishWork }: TransactionOptions = {},
): Promise<A> => {
  const transaction = await begin(knex, config);
  let result: A;
  try {
    result = await work(transaction);
    if (performance.now() > deadline)
      throw timeoutError('the transaction took too long, and was rolled back');
    await finishWork?.(transaction);
  } catch (error) {
    await transaction.rollback().catch(withoutStatement);
    throw error;
  }
  await transaction.commit();
  // Awaits `executionPromise` too, because Knex resolves the promise of `commit` even if the commit failed.
  await transaction.executionPromise;
  return result;
};

export const tryAndRollBack = async <A>(knex: Knex, work: Work<A>): Promise<A> => {
  const transaction = await begin(knex);
  try {
    return await work(transaction);
  } finally {
    await transaction.rollback();
  }
};

const begin = async (knex: Knex, config?: Knex.TransactionConfig): Promise<Knex.Transaction> => {
  const transaction = await knex.transaction(config).catch((error: unknown) => {
    throw withoutStatement(error);
  });
  // Throws if BEGIN failed. Knex resolves even then, but the transaction is completed, and `executionPromise` rejects.
  if (transaction.isCompleted()) await transaction.executionPromise;
  return transaction;
};

/** Runs work, and runs it again after each failure for which `pauseMs` returns the length of a pause. */
export const retry = async <A>(
  work: () => Promise<A>,
  pauseMs: (error: unknown, attempt: number) => number | undefined,
  signal?: AbortSignal,
): Promise<A> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const pause = pauseMs(error, attempt);
      if (pause === undefined) throw error;
      await delay(pause, undefined, { signal });
    }
  }
};

const maxAttempts = 6;

/**
 * Runs work, and runs it again if the database rolled it back because of another transaction, at most `maxAttempts`
 * times in all. Starts no attempt after `deadline`.
 */
export const retryConflicts = <A>(work: () => Promise<A>, deadline = Infinity): Promise<A> =>
  retry(work, (error, attempt) => {
    const pause = Math.random() * databaseTimeouts.conflictPauseMs * 2 ** attempt;
    const isLast = attempt === maxAttempts || performance.now() + pause > deadline;
    return isLast || !isConflict(error) ? undefined : pause;
  });

/**
 * Settles like `work`, or rejects after `timeoutMs`. The work itself goes on, and gets `deadline` so that it can stop.
 */
export const withTimeout = <A>(work: (deadline: number) => Promise<A>, timeoutMs: number): Promise<A> => {
  const deadline = performance.now() + timeoutMs;
  if (timeoutMs === Infinity) return work(deadline);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(timeoutError(`the database did not answer within ${timeoutMs} ms`));
    }, timeoutMs);
    void work(deadline)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
      });
  });
};

/**
 * Runs work that may wait for slow input. Sends a statement every second while no other statement runs, so that no
 * server or proxy closes the idle connection. If such a statement fails, the call aborts the signal to stop the work,
 * and rejects.
 */
export const keepAwake = async <A>(
  transaction: Knex,
  work: (signal: AbortSignal) => Promise<A>,
): Promise<A> => {
  const failed = new AbortController();
  let running = 0;
  const end = () => (running -= 1);
  transaction.on('query', () => (running += 1));
  transaction.on('query-response', end).on('query-error', end);
  const failure = new Promise<never>((_resolve, reject) => {
    failed.signal.addEventListener('abort', () => {
      reject(withoutStatement(failed.signal.reason));
    });
  });
  const timer = setInterval(() => {
    if (running > 0) return;
    transaction.raw('select 1').catch((error: unknown) => {
      failed.abort(error);
    });
  }, databaseTimeouts.keepAwakeMs);
  try {
    return await Promise.race([work(failed.signal), failure]);
  } finally {
    clearInterval(timer);
  }
};

const interruptMs = 10;

export const interruptOnAbort = async <A>(
  work: () => Promise<A>,
  signal: AbortSignal,
  interrupt: () => void,
): Promise<A> => {
  // Repeats the interrupt, because it has no effect before a statement starts.
  const timer = setInterval(() => {
    if (signal.aborted) interrupt();
  }, interruptMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
};
