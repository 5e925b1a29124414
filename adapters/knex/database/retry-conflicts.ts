import { setTimeout as delay } from 'node:timers/promises';
import { isConflict } from './database-error';

const attempts = 6;

/** In milliseconds, doubled by each attempt and drawn at random below that. */
const firstDelay = 4;

/** Runs a transaction again when another one got in its way (SQLSTATE 40001 and the like), six times at most. */
export const retryConflicts = async <A>(transaction: () => Promise<A>): Promise<A> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === attempts || !isConflict(error)) throw error;
      await delay(Math.random() * firstDelay * 2 ** attempt);
    }
  }
};
