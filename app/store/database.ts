import { toError } from 'fp-ts/Either';
import {
  openPostgres,
  openSqlite,
  postgresMigrationConfiguration,
  sqliteMigrationConfiguration,
} from '../../adapters/knex';
import { CommandFailed } from '../failures';
import type { PostgresDatabaseUrl } from '../settings/database-url';
import { rereadPostgresUrl } from '../settings/secrets';
import type { Settings } from '../settings/settings';

/** Runs `open`. Throws DriverMissing if Knex can't load the driver of the database. */
export const explainMissingDriver = async <A>(open: () => A | Promise<A>): Promise<A> => {
  try {
    return await open();
  } catch (error) {
    const missing = /^Knex: run\n\$ npm install (\S+) --save\n(.*?)(?:\. Tried:)?$/m.exec(
      toError(error).message,
    );
    if (missing === null) throw error;
    const [, driver = '', reason = ''] = missing;
    throw new CommandFailed({ _tag: 'DriverMissing', driver, reason });
  }
};

/** Returns functions that open a database of PostgreSQL, or make the configuration of Knex's own commands. */
export const postgresOf = (
  { file, connectionString }: PostgresDatabaseUrl,
  { POSTGRES_POOL_SIZE }: Settings,
) => {
  const url = file === undefined ? connectionString : rereadPostgresUrl(file, connectionString);
  const options = { poolSize: POSTGRES_POOL_SIZE };
  return {
    open: () => explainMissingDriver(() => openPostgres(url, options)),
    configuration: () => postgresMigrationConfiguration(url, options),
  };
};

/**
 * Returns functions that open the settings' database, or make the configuration of Knex's own commands. Throws NoDatabase
 * for `memory:`.
 */
export const databaseOf = (settings: Settings) => {
  const { DATABASE_URL: url } = settings;
  switch (url._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase' });
    case 'Sqlite': {
      const { filename } = url;
      return {
        open: () => explainMissingDriver(() => openSqlite(filename, { isOnlyForStore: true })),
        configuration: () => sqliteMigrationConfiguration(filename),
      };
    }
    case 'Postgres':
      return postgresOf(url, settings);
  }
};
