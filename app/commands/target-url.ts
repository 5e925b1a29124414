import { reasonOf } from '../failures';
import type { DatabaseUrl } from '../settings/database-url';

/**
 * Runs work on a second database. Its errors name `source`, the setting or option with the address, and not
 * DATABASE_URL.
 */
export const onTarget = async <A>(url: DatabaseUrl, source: string, work: () => Promise<A>): Promise<A> => {
  try {
    return await work();
  } catch (error) {
    throw targetError(error, url, source);
  }
};

export const targetError = (error: unknown, url: DatabaseUrl, source: string): Error =>
  new Error(reasonOf(error, url, source), { cause: error });
