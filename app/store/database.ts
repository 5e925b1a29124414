import { toError } from 'fp-ts/Either';
import type { Knex } from 'knex';
import {
  type OpenedDatabase,
  openPostgres,
  openSqlite,
  type PostgresDatabase,
  postgresMigrationConfiguration,
  sqliteMigrationConfiguration,
} from '../../adapters/knex';
import { CommandFailed } from '../failures';
import type { PostgresDatabaseUrl } from '../settings/database-url';
import { rereadPostgresUrl } from '../settings/secrets';
import type { Settings } from '../settings/settings';

/**
 * Opens the database of the settings, but does not connect yet. Throws NoDatabase for `memory:`, and DriverMissing
 * without the driver.
 */
export const openConfigured = async (settings: Settings): Promise<OpenedDatabase> => {
  const { DATABASE_URL: url } = settings;
  switch (url._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase' });
    case 'Sqlite':
      return requireDriver(() => openSqlite(url.filename, { isOnlyForStore: true }));
    case 'Postgres':
      return openConfiguredPostgres(url, settings);
  }
};

/** Opens a PostgreSQL database with the pool size of the settings. Throws DriverMissing without the driver. */
export const openConfiguredPostgres = (
  url: PostgresDatabaseUrl,
  { POSTGRES_POOL_SIZE: poolSize }: Settings,
): Promise<PostgresDatabase> => requireDriver(() => openPostgres(addressOf(url), { poolSize }));

/** Returns the configuration of Knex's own commands. Throws NoDatabase for `memory:`. */
export const knexConfiguration = ({ DATABASE_URL: url, POSTGRES_POOL_SIZE }: Settings): Knex.Config => {
  switch (url._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase' });
    case 'Sqlite':
      return sqliteMigrationConfiguration(url.filename);
    case 'Postgres':
      return postgresMigrationConfiguration(addressOf(url), { poolSize: POSTGRES_POOL_SIZE });
  }
};

const addressOf = ({ file, connectionString }: PostgresDatabaseUrl) =>
  file === undefined ? connectionString : rereadPostgresUrl(file, connectionString);

/** Runs work that opens a database. Throws DriverMissing if Knex can't load the driver of the database. */
export const requireDriver = async <A>(work: () => A | Promise<A>): Promise<A> => {
  try {
    return await work();
  } catch (error) {
    const missing = /^Knex: run\n\$ npm install (\S+) --save\n(.*?)(?:\. Tried:)?$/m.exec(
      toError(error).message,
    );
    if (missing === null) throw error;
    const [, driver = '', reason = ''] = missing;
    throw new CommandFailed({ _tag: 'DriverMissing', driver, reason });
  }
};
