import { placeCheckedCopy } from './checked-copy';
import type { CopyOptions } from './copy-pages';

/**
 * Writes a copy of a database that others may go on writing, as it was at one moment, checked, for its owner alone. A file
 * of this name is replaced, and only by a copy that is whole. Answers with the number of animals.
 */
export const backupSqlite = (database: string, file: string, options: CopyOptions): Promise<number> =>
  placeCheckedCopy(database, file, options);
