import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSizes } from '../database/database-sizes';

const sizeOf = async (file: string): Promise<number> => (await stat(file)).size;

/** What a SQLite file, its write-ahead log and its disk have. */
export const fileSizes = async (filename: string): Promise<DatabaseSizes> => {
  const [database, writeAheadLog, disk] = await Promise.all([
    sizeOf(filename),
    // There is none before the first write, and after the last connection.
    sizeOf(`${filename}-wal`).catch(() => 0),
    statfs(dirname(filename)),
  ]);
  return { database, writeAheadLog, diskAvailable: disk.bavail * disk.bsize };
};
