import { statSync } from 'node:fs';
import knex, { type Knex } from 'knex';
import type { DatabaseAsFound } from '../database/database';
import { durabilityOf } from './durability-of';
import { findDamage } from './find-damage';
import { followLinks } from './follow-links';
import { fileInMode, poolConfiguration, withPragmas } from './pool-configuration';
import { openSqlite } from './sqlite';

const openPool = (filename: string, mode: 'ro' | 'rw', pragma: string): Knex =>
  knex(poolConfiguration(fileInMode(filename, mode), { afterCreate: withPragmas([pragma]) }));

const hasLeftLog = (filename: string): boolean =>
  (statSync(`${followLinks(filename)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Opens a SQLite file without changing how it is kept: its journal mode stays, and a write-ahead log that somebody has
 * left behind is not moved into it. What is written and taken back leaves no byte.
 */
export const openSqliteAsFound = (filename: string): DatabaseAsFound => {
  const reads = openPool(filename, 'ro', 'query_only = ON');
  const writes = openPool(filename, 'rw', 'synchronous = FULL');
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
