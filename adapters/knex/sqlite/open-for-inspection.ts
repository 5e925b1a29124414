import { statSync } from 'node:fs';
import knex, { type Knex } from 'knex';
import type { InspectableDatabase } from '../database/database';
import { fileInMode, poolConfiguration, withPragmas } from './connection';
import { findDamage, resolveSymlink } from './file';
import { durabilityOf, openSqlite } from './sqlite';

const openPool = (filename: string, mode: 'ro' | 'rw', pragma: string): Knex =>
  knex(poolConfiguration(fileInMode(filename, mode), { afterCreate: withPragmas([pragma]) }));

const hasLeftLog = (filename: string): boolean =>
  (statSync(`${resolveSymlink(filename)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Opens a SQLite file, but keeps its journal mode and does not checkpoint a write-ahead log that was left behind. */
export const openSqliteForInspection = (filename: string): InspectableDatabase => {
  const keepsLog = hasLeftLog(filename);
  // A read-only connection cannot remove the -wal and -shm files that it creates.
  const reads = openPool(filename, keepsLog ? 'ro' : 'rw', 'query_only = ON');
  const writes = openPool(filename, 'rw', 'synchronous = FULL');
  const usual = openSqlite(filename, { isOwnFile: true });
  return {
    ...usual,
    reads,
    writes,
    durability: () => durabilityOf(writes),
    findDamage: (isThorough) => findDamage(reads, isThorough ? 'integrity_check' : 'quick_check'),
    missingGrants: () => Promise.resolve([]),
    close: async () => {
      // The last connection to close checkpoints and removes the log, if it may write.
      for (const pool of keepsLog ? [writes, reads] : [reads, writes]) await pool.destroy();
      await usual.close();
    },
  };
};
