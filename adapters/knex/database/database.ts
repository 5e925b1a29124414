import type { Knex } from 'knex';
import type { PoolUsage } from './pool';
import type { PetStatements } from './pet-statements';

/** Durability of commits, and the settings that decide it. */
export interface Durability {
  /** True if a commit survives a loss of power. */
  readonly isDurable: boolean;
  readonly text: string;
  readonly remedy: string;
}

/** Disk use in bytes; undefined if this process cannot read it. */
export interface DatabaseSizes {
  readonly database: number;
  readonly writeAheadLog: number | undefined;
  readonly diskAvailable: number | undefined;
}

/** Timeouts by which the database ends statements and transactions that wait or hang. */
export interface Limits {
  /** True if every limit applies to every connection. */
  readonly areKept: boolean;
  readonly text: string;
  readonly remedy: string;
}

/** A database with separate pools, so that writes never wait behind reads. */
export interface Database {
  readonly reads: Knex;
  readonly writes: Knex;
  readonly petStatements: PetStatements;
  /** Reports whether connections may use named prepared statements, which some poolers break. */
  readonly preparesStatements: () => Promise<boolean>;
  /** Maximum concurrent batches of each operation. It leaves connections for other operations when one is slow. */
  readonly lanes: { readonly reads: number; readonly writes: number };
  /** Runs work in a transaction under a lock that serialises migrations and first keys of all processes. */
  readonly withMigrationLock: <A>(work: (transaction: Knex.Transaction) => Promise<A>) => Promise<A>;
  /** Returns true if the file was removed, replaced or truncated. Writes are then lost until the process restarts. */
  readonly isFileReplaced: () => boolean;
  /** Rejects a database that belongs to another program or cannot store every text. The message says what to do. */
  readonly checkUsable: () => Promise<void>;
  readonly durability: () => Promise<Durability>;
  readonly sizes: () => Promise<DatabaseSizes>;
  /** Undefined if the database has no such limits. */
  readonly limits: () => Promise<Limits | undefined>;
  /** Reports whether everything written before the call is certain to be in the file. */
  readonly isFileIntact: () => Promise<boolean>;
  /** Current use of each pool, listed once if reads and writes share it. */
  readonly poolUsage: () => ReadonlyArray<PoolUsage>;
  readonly close: () => Promise<void>;
}

/** A database that is opened for inspection. */
export interface InspectableDatabase extends Database {
  /** Reads all rows, and all indexes if thorough. Describes the damage; undefined if the database is sound. */
  readonly findDamage: (isThorough: boolean) => Promise<string | undefined>;
  /** Returns GRANT statements for the rights that this role lacks; none on SQLite. */
  readonly missingGrants: (countsRequests: boolean) => Promise<ReadonlyArray<string>>;
}
