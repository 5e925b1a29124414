import { isUnsupported } from '../database/database-error';

/** Asks an engine in the first form until it says that it can't do that (SQLSTATE 0A000), and in the second from then on. */
export const unlessRefused = <Arguments extends ReadonlyArray<unknown>, A>(
  first: (...given: Arguments) => Promise<A>,
  second: (...given: Arguments) => Promise<A>,
): ((...given: Arguments) => Promise<A>) => {
  let isRefused = false;
  return async (...given) => {
    if (isRefused) return second(...given);
    try {
      return await first(...given);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      isRefused = true;
      return second(...given);
    }
  };
};
