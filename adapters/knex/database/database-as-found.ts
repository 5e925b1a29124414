import type { Database } from './database';

/** A database that is only looked at. */
export interface DatabaseAsFound extends Database {
  /** What is damaged, in words; undefined where nothing is. It reads everything there is. */
  readonly findDamage: () => Promise<string | undefined>;
}
