import { existsSync, readFileSync, statSync } from 'node:fs';
import { openSqlite } from '../../../adapters/knex';

/** What a SQLite file says of itself: `ok` when it is sound. */
export const integrityOf = async (file: string): Promise<unknown> => {
  const { reads, close } = openSqlite(file);
  try {
    return await reads('pragma_integrity_check').pluck('integrity_check');
  } finally {
    await close();
  }
};

/** A column of a table, in the order of the rows. */
export const columnOf = async (
  file: string,
  table: string,
  column: string,
): Promise<ReadonlyArray<unknown>> => {
  const { reads, close } = openSqlite(file);
  try {
    const values: ReadonlyArray<unknown> = await reads(table).orderBy('rowid').pluck(column);
    return values;
  } finally {
    await close();
  }
};

/** Everything that lies on the disk for a SQLite file: itself and its write-ahead log. */
export const bytesOf = (file: string): Buffer =>
  Buffer.concat([file, `${file}-wal`].filter((path) => existsSync(path)).map((path) => readFileSync(path)));

/** Whether commits still stand in the write-ahead log alone. */
export const hasWriteAheadLog = (file: string): boolean =>
  existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0;
