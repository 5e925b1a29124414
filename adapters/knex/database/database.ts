import type { Knex } from 'knex';
import type { DatabaseSizes } from './database-sizes';
import type { Durability } from './durability';
import type { Limits } from './limits';
import type { PoolUsage } from './knex-pool';
import type { PetStatements } from './pet-statements';

/** One database, seen through two pools: what writes never waits behind what reads. */
export interface Database {
  readonly reads: Knex;
  readonly writes: Knex;
  readonly petStatements: PetStatements;
  /** Whether a connection may be told to prepare a statement once, by name. */
  readonly preparesStatements: () => Promise<boolean>;
  /** How many batches of each operation may be in flight together: a slow one then leaves lanes to others. */
  readonly lanes: { readonly reads: number; readonly writes: number };
  /**
   * Migrates or makes a first key, in a transaction. No other process does so until it ends, by a commit or by a
   * death; they wait for their turn.
   */
  readonly withMigrationLock: <A>(work: (transaction: Knex.Transaction) => Promise<A>) => Promise<A>;
  /**
   * Whether the file that was opened is no longer the one at its path, or was cut off: what is written then is lost,
   * and only a new start can help.
   */
  readonly isFileReplaced: () => boolean;
  /** Rejects where the database can't keep every text or is another program's, and says what to do. */
  readonly checkUsable: () => Promise<void>;
  readonly durability: () => Promise<Durability>;
  readonly sizes: () => Promise<DatabaseSizes>;
  /** Undefined where the database has no such limits. */
  readonly limits: () => Promise<Limits | undefined>;
  /** Whether what is written now can certainly be found again. */
  readonly isFileIntact: () => boolean;
  /** The pools as they are at the moment of the call; one that reads and writes share is one. */
  readonly poolUsage: () => ReadonlyArray<PoolUsage>;
  readonly close: () => Promise<void>;
}
