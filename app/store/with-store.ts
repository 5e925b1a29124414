import {
  type ApiKeyStore,
  apiKeyStore,
  type ChangeLog,
  changeLog,
  knexPetMaintenance,
  knexPetRepository,
} from '../../adapters/knex';
import type { PetMaintenance, PetRepository } from '../../core';
import { databaseUrlText } from '../settings/database-url';
import type { Settings } from '../settings/settings';
import type { StartOptions } from './checks/start';
import { openDatabase } from './stages';
import { operatorName } from '../failures/user';

interface Options extends StartOptions {
  /** Environment whose SUDO_USER names the operator. */
  readonly env: NodeJS.ReadOnlyDict<string>;
}

export interface CommandStore {
  readonly pets: PetRepository & PetMaintenance;
  readonly keyStore: ApiKeyStore;
  readonly changes: ChangeLog;
  readonly ranMigrations: ReadonlyArray<string>;
}

/** Opens the store for a command, and closes it after `use`. */
export const withStore = async <A>(
  settings: Settings,
  purpose: 'read' | 'write',
  { env, ...options }: Options,
  use: (store: CommandStore) => Promise<A>,
): Promise<A> => {
  const { database, ranMigrations } = await openDatabase(settings, purpose, options);
  try {
    options.printMessage(databaseUrlText(settings.DATABASE_URL), 'database');
    const operator = operatorName(env);
    return await use({
      pets: { ...knexPetRepository(database), ...knexPetMaintenance(database, operator) },
      keyStore: apiKeyStore(database, operator),
      changes: changeLog(database),
      ranMigrations,
    });
  } finally {
    await database.close();
  }
};
