import type { Knex } from 'knex';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSizes } from '../database/database';
import { followLinks } from './follow-links';

/** What a SQLite database takes, in bytes, with what only its write-ahead log has so far. */
export const readSize = async (knex: Knex): Promise<number> => {
  const { size } = await knex
    .from(knex.raw('pragma_page_count, pragma_page_size'))
    .first<{ size: number }>(knex.raw('page_count * page_size as size'));
  return size;
};

const sizeOf = async (file: string): Promise<number> => (await stat(file)).size;

/** What a SQLite file, its write-ahead log and its disk have. */
export const fileSizes = async (name: string): Promise<DatabaseSizes> => {
  const filename = followLinks(name);
  const [database, writeAheadLog, disk] = await Promise.all([
    sizeOf(filename),
    // There is none before the first write, and after the last connection.
    sizeOf(`${filename}-wal`).catch(() => 0),
    statfs(dirname(filename)),
  ]);
  return { database, writeAheadLog, diskAvailable: disk.bavail * disk.bsize };
};
