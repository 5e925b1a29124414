import type { Knex } from 'knex';
import { withoutStatement } from './errors';
import { databaseTimeouts } from './timeouts';

/**
 * Runs work that may wait for slow input. Sends a statement every second while no other statement runs, so that no
 * server or proxy closes the idle connection. If such a statement fails, rejects, and aborts the signal to stop the
 * work.
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
