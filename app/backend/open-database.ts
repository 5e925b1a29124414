import { type Database, openPostgres, openSqlite } from '../../adapters/knex';
import type { Settings } from '../settings/settings';

/** The database that the settings name, not connected yet; none when animals are kept in memory. */
export const openDatabase = ({
  DATABASE_URL: address,
  POSTGRES_POOL_SIZE: poolSize,
  POSTGRES_STATEMENT_TIMEOUT: statementTimeout,
}: Settings): Database | undefined => {
  switch (address._tag) {
    case 'Memory':
      return undefined;
    case 'Sqlite':
      return openSqlite(address.filename);
    case 'Postgres':
      return openPostgres(address.connectionString, { poolSize, statementTimeout });
  }
};
