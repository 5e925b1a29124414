import type { Database } from './database';

/** A database that is only looked at. */
export interface DatabaseAsFound extends Database {
  /** What is damaged, in words; undefined where nothing is. It reads all rows; a thorough one all indexes, too. */
  readonly findDamage: (isThorough: boolean) => Promise<string | undefined>;
}
