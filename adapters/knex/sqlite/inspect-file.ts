import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Knex } from 'knex';
import { greatestInt64 } from '../../../core';
import { DatabaseError } from '../database/errors';
import type { DatabaseSizes } from '../database/opened-database';
import { resolveSymlink } from '../../files/paths';
import { sqliteStatements } from './statements';

/** Checks the whole file. Rejects with SQLITE_CORRUPT if it finds damage, as a read of a damaged page does. */
export const checkIntegrity = async (file: Knex): Promise<void> => {
  const lines: ReadonlyArray<string> = await file('pragma_integrity_check').pluck('integrity_check');
  const damage = lines.find((line) => line !== 'ok');
  if (damage !== undefined) throw new DatabaseError('SQLITE_CORRUPT', `SQLITE_CORRUPT: ${damage}`);
};

const sizeOf = async (file: string): Promise<number> => (await stat(file)).size;

export const fileSizes = async (name: string): Promise<DatabaseSizes> => {
  const filename = resolveSymlink(name);
  const [databaseSize, writeAheadLogSize, disk] = await Promise.all([
    sizeOf(filename),
    sizeOf(`${filename}-wal`).catch(() => 0),
    statfs(dirname(filename)),
  ]);
  return { databaseSize, writeAheadLogSize, diskAvailable: disk.bavail * disk.bsize };
};

/**
 * Returns how to free an id if none is left, and undefined otherwise. Without a free id, creates fail with SQLITE_FULL,
 * as on a full disk. `readLastId` also considers the greatest id of the table, as SQLite does for a new id.
 */
export const inspectLastId = async (reads: Knex): Promise<string | undefined> =>
  (await sqliteStatements.readLastId(reads)) === greatestInt64
    ? `no id is left after the last one, ${greatestInt64}; remove the animal and the idempotency key that have it, and run: update sqlite_sequence set seq = (select max(id) from (select id from pets union all select pet_id from idempotency_keys)) where name = 'pets'`
    : undefined;
