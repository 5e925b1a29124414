import { sickSqliteFile } from './sick-store';
import { sqliteStore } from '../../../support/service/sql-stores';

/** A SQLite file whose writers' lock another process holds for so many milliseconds after it shows. */
export const lockedDatabase = (milliseconds: number) =>
  sickSqliteFile({
    inject: ({ file }) => sqliteStore(file).holdWriters(),
    reads: 'reads go on',
    lasts: milliseconds,
  });
