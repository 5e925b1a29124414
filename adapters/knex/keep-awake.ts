import type { Knex } from 'knex';
import { withoutStatement } from './database/errors';
import { databaseTimeouts } from './timeouts';

/**
 * Runs work, and sends a statement every second while no other statement runs. Otherwise a server or proxy may close
 * the idle connection while the work waits for slow input. Rejects if such a statement fails.
 */
export const keepAwake = async <A>(transaction: Knex, work: () => Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined;
  let running = 0;
  const end = () => (running -= 1);
  transaction.on('query', () => (running += 1));
  transaction.on('query-response', end).on('query-error', end);
  const failure = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      if (running > 0) return;
      transaction.raw('select 1').catch((error: unknown) => {
        reject(withoutStatement(error));
      });
    }, databaseTimeouts.keepAwakeMs);
  });
  try {
    return await Promise.race([work(), failure]);
  } finally {
    clearInterval(timer);
  }
};
