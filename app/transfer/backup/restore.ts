import { restoreSqlite } from '../../../adapters/knex';
import type { TransferContext } from '../transfer-context';
import { copySqlite } from './copy-sqlite';

/** Puts a backup in the place of the database, which nobody may have open. */
export const restore = (file: string, mayReplace: boolean, context: TransferContext) =>
  copySqlite(context, (database, options) => restoreSqlite(file, database, { ...options, mayReplace }));
