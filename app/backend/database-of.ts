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
  /** What it consists of on this machine's disk, other than on a server. */
  readonly files: ReadonlyArray<string>;
}

/** Endings of the files of a SQLite database (SQLite documentation, "Temporary Files"). */
const fileEndings = ['', '-wal', '-shm', '-journal'];

/** The database that the settings name; none when animals are kept in memory. */
export const databaseOf = ({
  DATABASE_URL: address,
  POSTGRES_POOL_SIZE: poolSize,
  POSTGRES_STATEMENT_TIMEOUT: statementTimeout,
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
        files: fileEndings.map((ending) => `${filename}${ending}`),
      };
    }
    case 'Postgres': {
      const { connectionString } = address;
      const limits = { poolSize, statementTimeout };
      const open = () => openPostgres(connectionString, limits);
      return {
        open,
        openAsFound: () => ({ ...open(), findDamage: () => Promise.resolve(undefined) }),
        configuration: () => postgresConfiguration(connectionString, limits),
        files: [],
      };
    }
  }
};
