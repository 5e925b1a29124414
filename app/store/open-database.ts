import { migrate, migrateExisting, type MigrateOptions, type OwnDatabase } from '../../adapters/knex';
import { orFail } from '../failures';
import type { Settings } from '../settings/settings';
import { checkClock, checkKeys, checkServer } from './check-database';
import { checkFile, checkMount } from './check-file';
import { databaseOf } from './database';
import type { Finding } from './finding';

/**
 * Reports whether a start may create a missing store. Returns false in production, because a restarted service must not
 * replace a lost database with an empty one.
 */
export const mayCreateStore = ({ NODE_ENV }: Settings): boolean => NODE_ENV !== 'production';

export interface OpenOptions extends Pick<MigrateOptions, 'mayRaiseGeneration' | 'signal'> {
  /** True if the command may create the tables. Otherwise it fails with NotInitialized if they are missing. */
  readonly mayCreate?: boolean;
  readonly printError: (text: string) => void;
}

interface OpenedDatabase {
  readonly database: OwnDatabase;
  readonly ranMigrations: ReadonlyArray<string>;
}

/**
 * Opens and migrates the database of DATABASE_URL, which the caller must close. Prints warnings. Throws CommandFailed at
 * the first check that fails, or if DATABASE_URL is `memory:`. `examineStore` makes the same checks for `doctor`.
 */
export const openDatabase = async (
  settings: Settings,
  purpose: 'serve' | 'write' | 'read',
  { mayCreate = false, mayRaiseGeneration = false, printError, signal }: OpenOptions,
): Promise<OpenedDatabase> => {
  const { DATABASE_URL: url } = settings;
  const warn = (findings: ReadonlyArray<Finding>): void => {
    for (const { ok, isWarning, text } of findings)
      if (!ok || isWarning === true) printError(`warning: ${text}`);
  };
  warn(checkFile(url, { mayCreate, isReader: purpose === 'read' }));
  warn(checkMount(url, purpose === 'serve' && !mayCreateStore(settings)));
  const database = await databaseOf(settings).open();
  try {
    const run = mayCreate ? migrate : migrateExisting;
    const ranMigrations = await orFail(run(database, { mayRaiseGeneration, signal, onProgress: printError }));
    if (purpose === 'serve') {
      warn(await checkServer(database));
      warn(await checkClock(database));
      warn(await checkKeys(settings, database));
    }
    return { database, ranMigrations };
  } catch (error) {
    await database.close();
    throw error;
  }
};
