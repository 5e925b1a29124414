import knex, { type Knex } from 'knex';
import { silentLog } from '../database/silent-log';
import { withPool } from '../database/with-pool';

/** In milliseconds: how long to wait for a connection, and for the first sign that the other end is gone. */
const connectMs = 9_000;
const keepAliveMs = 10_000;

/** Lends a connection that no limit of the service's pool is on: a migration takes as long as it needs. */
export const withMigrationPool =
  (connectionString: string, schema: string | undefined) =>
  <A>(use: (pool: Knex) => Promise<A>): Promise<A> =>
    withPool(
      knex({
        client: 'pg',
        connection: {
          connectionString,
          connectionTimeoutMillis: connectMs,
          keepAlive: true,
          keepAliveInitialDelayMillis: keepAliveMs,
          application_name: 'animal-store migration',
        },
        acquireConnectionTimeout: connectMs + 500,
        pool: { min: 0, max: 1 },
        ...(schema === undefined ? {} : { searchPath: schema }),
        log: silentLog,
      }),
      use,
    );
