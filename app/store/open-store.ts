import { toError } from 'fp-ts/Either';
import { statSync } from 'node:fs';
import {
  type ApiKeyStore,
  apiKeyStore,
  databaseTimeouts,
  knexPetRepository,
  migrate,
  migrateExisting,
  openPostgres,
  openSqlite,
  postgresConfiguration,
  sqliteConfiguration,
} from '../../adapters/knex';
import type { PetRepository } from '../../core';
import { CommandFailed, orFail } from '../failures';
import { databaseUrlText } from '../settings/database-url';
import type { Settings } from '../settings/settings';

export const withDriver = async <A>(open: () => A | Promise<A>): Promise<A> => {
  try {
    return await open();
  } catch (error) {
    const missing = /^Knex: run\n\$ npm install (\S+) --save\n(.*)/.exec(toError(error).message);
    if (missing === null) throw error;
    const [, driver = '', reason = ''] = missing;
    throw new CommandFailed({ _tag: 'DriverMissing', driver, reason });
  }
};

/** Throws NoDatabase for `memory:`. */
export const databaseOf = (settings: Settings) => {
  const { DATABASE_URL: url } = settings;
  switch (url._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase' });
    case 'Sqlite': {
      const { filename } = url;
      return {
        open: () => withDriver(() => openSqlite(filename, { isOwnFile: true })),
        configuration: () => sqliteConfiguration(filename),
      };
    }
    case 'Postgres': {
      const { connectionString } = url;
      const options = {
        poolSize: settings.POSTGRES_POOL_SIZE,
        statementTimeoutMs: databaseTimeouts.statementMs,
      };
      return {
        open: () => withDriver(() => openPostgres(connectionString, options)),
        configuration: () => postgresConfiguration(connectionString, options),
      };
    }
  }
};

/**
 * False in production. After the loss of its database, a service that a supervisor starts again would otherwise go on
 * with an empty one.
 */
export const mayCreateStore = ({ NODE_ENV }: Settings): boolean => NODE_ENV !== 'production';

export const requireFile = ({ DATABASE_URL: url }: Settings): void => {
  if (url._tag !== 'Sqlite') return;
  if (statSync(url.filename, { throwIfNoEntry: false })?.size) return;
  throw new CommandFailed({ _tag: 'NotInitialized' });
};

interface OpenStore {
  readonly pets: PetRepository;
  readonly keyStore: ApiKeyStore;
  readonly ranMigrations: ReadonlyArray<string>;
}

interface Options {
  readonly isMigrateCommand?: boolean;
  readonly printError: (text: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Opens and migrates the database for a command, and closes it after `use`. Creates the tables only for the command
 * `migrate`, and otherwise throws NotInitialized if they are missing. The commands `import`, `export`, `keys` and
 * `migrate` call it; backend.ts and doctor.ts call only `databaseOf`.
 */
export const withDatabase = async <A>(
  settings: Settings,
  { isMigrateCommand = false, printError, signal }: Options,
  use: (store: OpenStore) => Promise<A>,
): Promise<A> => {
  if (!isMigrateCommand) requireFile(settings);
  const database = await databaseOf(settings).open();
  try {
    const options = { onProgress: printError, signal };
    const ranMigrations = await orFail(
      isMigrateCommand
        ? migrate(database, { ...options, mayRaiseGeneration: true })
        : migrateExisting(database, options),
    );
    printError(`database: ${databaseUrlText(settings.DATABASE_URL)}`);
    return await use({ pets: knexPetRepository(database), keyStore: apiKeyStore(database), ranMigrations });
  } finally {
    await database.close();
  }
};
