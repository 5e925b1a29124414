import {
  type ApiKeyStore,
  apiKeyStore,
  type ChangeLog,
  changeLog,
  knexPetRepository,
} from '../../adapters/knex';
import type { PetRepository } from '../../core';
import { CommandFailed } from '../failures';
import { databaseUrlText } from '../settings/database-url';
import type { Settings } from '../settings/settings';
import type { OpenOptions } from './opening';
import { operatorName } from './operator';
import { takeSteps } from './steps';

interface Options extends OpenOptions {
  /** Environment that may name the operator. Defaults to that of the process. */
  readonly env?: NodeJS.ReadOnlyDict<string>;
  readonly isReader?: boolean;
}

/** Opens and migrates a database, which the caller must close. Throws CommandFailed if the database can't be used. */
export const openDatabase = async (settings: Settings, { isReader = false, ...options }: Options) => {
  const purpose = isReader ? 'read' : 'write';
  const { database, ranMigrations = [] } = await takeSteps(settings, purpose, options);
  if (database === undefined) throw new CommandFailed({ _tag: 'NoDatabase' });
  return { database, ranMigrations };
};

export interface CommandStore {
  readonly pets: PetRepository;
  readonly keyStore: ApiKeyStore;
  readonly changes: ChangeLog;
  readonly ranMigrations: ReadonlyArray<string>;
}

/** Opens the store for a command, and closes it after `use`. */
export const withStore = async <A>(
  settings: Settings,
  options: Options,
  use: (store: CommandStore) => Promise<A>,
): Promise<A> => {
  const { database, ranMigrations } = await openDatabase(settings, options);
  try {
    options.printError(`database: ${databaseUrlText(settings.DATABASE_URL)}`);
    const operator = operatorName(options.env ?? process.env);
    return await use({
      pets: knexPetRepository(database, { operator }),
      keyStore: apiKeyStore(database, operator),
      changes: changeLog(database),
      ranMigrations,
    });
  } finally {
    await database.close();
  }
};
