import type { Knex } from 'knex';
import type { Durability } from './durability';

/** One database, seen through two pools: what writes never waits behind what reads. */
export interface Database {
  readonly reads: Knex;
  readonly writes: Knex;
  /** Lets no other process migrate or make a first key until the transaction ends, by a commit or by a death. */
  readonly lockSetup: (transaction: Knex.Transaction) => Promise<void>;
  /**
   * Whether the file that was opened is no longer the one at its path, or was cut off: what is written goes to no
   * one then, and only a new start can help.
   */
  readonly isLost: () => boolean;
  readonly durability: () => Promise<Durability>;
  /** Whether what is written now can be found again: a file that may be lost is not sound. */
  readonly isSound: () => boolean;
  readonly close: () => Promise<void>;
}
