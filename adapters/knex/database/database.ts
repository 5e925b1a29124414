import type { Knex } from 'knex';
import type { PoolUsage } from './knex-pool';
import type { PetStatements } from './pet-statements';

/** How a database keeps what was committed. */
export interface Durability {
  /** Whether a commit outlives a loss of power. */
  readonly isDurable: boolean;
  /** The database's settings that decide it, by their own names. */
  readonly text: string;
  /** What to do where it does not. */
  readonly remedy: string;
}

/** What a database takes of its disk, in bytes; undefined where that can't be known from here. */
export interface DatabaseSizes {
  readonly database: number;
  readonly writeAheadLog: number | undefined;
  /** What this process may still take of the disk that the database is on. */
  readonly diskAvailable: number | undefined;
}

/** How soon a database ends what waits or hangs in it. */
export interface Limits {
  /** Whether each of them holds, wherever a statement may run. */
  readonly areKept: boolean;
  /** The settings that hold, and those that do not, by the database's own names. */
  readonly text: string;
  /** What to do where one does not. */
  readonly remedy: string;
}

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

/** A database that is only looked at. */
export interface DatabaseAsFound extends Database {
  /** What is damaged, in words; undefined where nothing is. It reads all rows; a thorough one all indexes, too. */
  readonly findDamage: (isThorough: boolean) => Promise<string | undefined>;
}
