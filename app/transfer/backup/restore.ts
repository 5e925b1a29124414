import { existsSync } from 'node:fs';
import { restoreSqlite } from '../../../adapters/knex';
import { fileAdvice } from '../../failures/database-advice';
import type { TransferContext } from '../transfer-context';
import { copySqlite } from './copy-sqlite';

/** Puts a backup in the place of the database, which nobody may have open. */
export const restore = (file: string, mayReplace: boolean, context: TransferContext) =>
  copySqlite(context, async (database, options) => {
    const advice = existsSync(database) ? undefined : fileAdvice(database);
    if (advice !== undefined) throw new Error(`${database} can't be made: ${advice}`);
    return restoreSqlite(file, database, { ...options, mayReplace });
  });
