import { statSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Knex } from 'knex';
import { greatestInt64 } from '../../../core';
import { DatabaseError, DiagnosedError, withoutStatement } from '../database/errors';
import type { DatabaseSizes } from '../database/opened-database';
import { withPool } from '../database/pool';
import { readSchemaState } from '../migrations/schema-state';
import { openReadOnly } from './connection';
import { resolveSymlink } from '../../files/paths';
import { sqliteStatements } from './statements';

/** Checks the whole file. Rejects with SQLITE_CORRUPT if it finds damage, as a read of a damaged page does. */
export const requireIntegrity = async (file: Knex): Promise<void> => {
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

/** Identifies a file. Throws if it is the database of another program. */
export const refuseForeignFile = async (filename: string): Promise<'empty' | 'animal-store'> => {
  const kind = await identifyFile(filename);
  if (kind !== 'foreign') return kind;
  throw new DiagnosedError(`${filename} is the database of another program; name another file`);
};

/** Identifies a file by its tables, without writing to it. A path without a regular file counts as empty. */
const identifyFile = async (filename: string): Promise<'empty' | 'animal-store' | 'foreign'> => {
  const stats = statSync(filename, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.size === 0) return 'empty';
  return withPool(openReadOnly(filename), async (knex) => {
    if ((await knex('sqlite_master').first<unknown>('name')) === undefined) return 'empty';
    const { generation } = await readSchemaState({ knex, statements: sqliteStatements });
    return generation > 0 ? 'animal-store' : 'foreign';
  }).catch((error: unknown) => {
    throw withoutStatement(error);
  });
};
