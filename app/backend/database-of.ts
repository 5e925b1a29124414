import type { Knex } from 'knex';
import {
  type Database,
  type DatabaseAsFound,
  openPostgres,
  openSqlite,
  openSqliteAsFound,
  postgresConfiguration,
  sqliteConfiguration,
} from '../../adapters/knex';
import type { Settings } from '../settings/settings';

/** A database that settings name, not connected to. */
interface NamedDatabase {
  readonly open: () => Database;
  /** Opens it to be looked at: nothing of it is changed. */
  readonly openAsFound: () => DatabaseAsFound;
  /** What knex's own command line needs: the settings and the migrations of the service. */
  readonly configuration: () => Knex.Config;
}

/** The database that the settings name; none when animals are kept in memory. */
export const databaseOf = ({
  DATABASE_URL: address,
  POSTGRES_POOL_SIZE: poolSize,
  POSTGRES_STATEMENT_TIMEOUT: statementTimeout,
  POSTGRES_PREPARED_STATEMENTS: preparedStatements,
}: Settings): NamedDatabase | undefined => {
  switch (address._tag) {
    case 'Memory':
      return undefined;
    case 'Sqlite': {
      const { filename } = address;
      return {
        open: () => openSqlite(filename, { isOwnFile: true }),
        openAsFound: () => openSqliteAsFound(filename),
        configuration: () => sqliteConfiguration(filename),
      };
    }
    case 'Postgres': {
      const { connectionString } = address;
      const options = { poolSize, statementTimeout, preparedStatements };
      const open = () => openPostgres(connectionString, options);
      return {
        open,
        openAsFound: () => ({ ...open(), findDamage: () => Promise.resolve(undefined) }),
        configuration: () => postgresConfiguration(connectionString, options),
      };
    }
  }
};
