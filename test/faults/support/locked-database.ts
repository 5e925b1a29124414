import { lockSqlite } from './lock-sqlite';
import { sickSqliteFile } from './sick-store';

/** A SQLite file whose writers' lock another process holds for so many milliseconds after it shows. */
export const lockedDatabase = (milliseconds: number) =>
  sickSqliteFile({ inject: ({ file }) => lockSqlite(file), reads: 'reads go on', lasts: milliseconds });
