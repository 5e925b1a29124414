import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import knex, { type Knex } from 'knex';
import type { DatabaseAsFound } from '../database/database-as-found';
import { silentLog } from '../database/silent-log';
import { durabilityOf } from './durability-of';
import { findDamage } from './find-damage';
import { openSqlite } from './sqlite';

/** In milliseconds. */
const busyTimeout = 3_000;

interface Connection {
  readonly exec: (sql: string, done: (error: Error | null) => void) => void;
}

const openPool = (filename: string, mode: 'ro' | 'rw', pragmas: string): Knex =>
  knex({
    client: 'sqlite3',
    // The driver's flags can only be added to its own, which write and create.
    connection: { filename: `${pathToFileURL(filename).href}?mode=${mode}`, flags: ['OPEN_URI'] },
    useNullAsDefault: true,
    acquireConnectionTimeout: busyTimeout + 500,
    pool: {
      min: 0,
      max: 1,
      afterCreate: (connection: Connection, done: (error: Error | null) => void) => {
        connection.exec(`PRAGMA busy_timeout = ${busyTimeout}; ${pragmas}`, done);
      },
    },
    log: silentLog,
  });

const hasLeftLog = (filename: string): boolean =>
  (statSync(`${filename}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Opens a SQLite file without changing how it is kept: its journal mode stays, and a write-ahead log that somebody has
 * left behind is not moved into it. What is written and taken back leaves no byte.
 */
export const openSqliteAsFound = (filename: string): DatabaseAsFound => {
  const reads = openPool(filename, 'ro', 'PRAGMA query_only = ON;');
  const writes = openPool(filename, 'rw', 'PRAGMA synchronous = FULL;');
  const keepsLog = hasLeftLog(filename);
  const usual = openSqlite(filename, { isOwnFile: true });
  return {
    ...usual,
    reads,
    writes,
    durability: () => durabilityOf(writes),
    findDamage: (isThorough) => findDamage(reads, isThorough ? 'integrity_check' : 'quick_check'),
    close: async () => {
      // Who closes last tidies the log away, unless it can't write.
      for (const pool of keepsLog ? [writes, reads] : [reads, writes]) await pool.destroy();
      await usual.close();
    },
  };
};
