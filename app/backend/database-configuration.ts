import * as E from 'fp-ts/Either';
import type { Knex } from 'knex';
import { postgresConfiguration, sqliteConfiguration } from '../../adapters/knex';
import type { Settings } from '../settings/settings';
import type { StartFailure } from '../failures/start-failure';

/** What knex's own command line needs: the settings and the migrations of the service. */
export const databaseConfiguration = ({
  DATABASE_URL: address,
  POSTGRES_POOL_SIZE: poolSize,
  POSTGRES_STATEMENT_TIMEOUT: statementTimeout,
}: Settings): E.Either<StartFailure, Knex.Config> => {
  switch (address._tag) {
    case 'Memory':
      return E.left({ _tag: 'NoDatabase' });
    case 'Sqlite':
      return E.right(sqliteConfiguration(address.filename));
    case 'Postgres':
      return E.right(postgresConfiguration(address.connectionString, { poolSize, statementTimeout }));
  }
};
