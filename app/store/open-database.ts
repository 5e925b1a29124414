import { migrate, migrateExisting, type MigrateOptions, type OpenedDatabase } from '../../adapters/knex';
import { orFail } from '../failures';
import { mayCreateStore, type Settings } from '../settings/settings';
import { checkedStoreOf, databaseChecks } from './checks/check-database';
import { checkFile, checkMount } from './checks/check-file';
import { databaseOf } from './database';
import type { Finding } from './checks/finding';
import type { PrintMessage } from '../terminal/terminal';

export interface StartMessages {
  readonly printMessage: PrintMessage;
  /** Prints that migrations wait or run, by default with `printMessage`. */
  readonly printMigration?: (text: string) => void;
}

export interface OpenOptions extends StartMessages, Pick<MigrateOptions, 'mayRaiseGeneration' | 'signal'> {
  /** True to create missing tables. By default, the command fails with NotInitialized if they are missing. */
  readonly mayCreate?: boolean;
}

interface MigratedDatabase {
  readonly database: OpenedDatabase;
  readonly ranMigrations: ReadonlyArray<string>;
}

/**
 * Opens and migrates the database of DATABASE_URL, which the caller must close. Prints warnings. Throws CommandFailed at
 * the first check that fails, or if DATABASE_URL is `memory:`.
 */
export const openDatabase = async (
  settings: Settings,
  purpose: 'serve' | 'write' | 'read',
  options: OpenOptions,
): Promise<MigratedDatabase> => {
  const { DATABASE_URL: url } = settings;
  const { mayCreate = false, mayRaiseGeneration = false, signal, printMessage } = options;
  const { printMigration: onProgress = printMessage } = options;
  const warn = (findings: ReadonlyArray<Finding>): void => {
    for (const { ok, isWarning, text } of findings)
      if (!ok || isWarning === true) printMessage(text, 'warning');
  };
  warn(checkFile(url, { mayCreate, use: purpose === 'read' ? 'read' : 'write' }));
  warn(checkMount(url, purpose === 'serve' && !mayCreateStore(settings)));
  const database = await databaseOf(settings).open();
  try {
    const run = mayCreate ? migrate : migrateExisting;
    const ranMigrations = await orFail(run(database, { mayRaiseGeneration, signal, onProgress }));
    if (purpose === 'serve') {
      const store = checkedStoreOf(database, settings);
      for (const { run: check, forServeOn } of databaseChecks)
        if (forServeOn.includes(database.engine)) warn(await check(store));
    }
    return { database, ranMigrations };
  } catch (error) {
    await database.close();
    throw error;
  }
};
