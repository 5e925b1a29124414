import type { Knex } from 'knex';
import { createApiKeys } from './create-api-keys';
import { createCreationKeys } from './create-creation-keys';
import { createHeartbeats } from './create-heartbeats';
import { createPets } from './create-pets';
import { createRateLimits } from './create-rate-limits';

/** By name, in order. One that breaks programs which do not know it is named `NNN_name.generation-N`. */
export const migrations: Readonly<Record<string, Knex.Migration>> = {
  '001_create_pets': createPets,
  '002_create_creation_keys': createCreationKeys,
  '003_create_api_keys': createApiKeys,
  '004_create_heartbeats': createHeartbeats,
  '005_create_rate_limits': createRateLimits,
};

/** A migration by the field that knex's command line prints of one that is pending. */
interface NamedMigration {
  readonly file: string;
}

/** The one list of migrations, in order, for the service and for knex's own command line. */
export const migrationSource: Knex.MigrationSource<NamedMigration> = {
  getMigrations: () => Promise.resolve(Object.keys(migrations).map((file) => ({ file }))),
  getMigrationName: ({ file }) => file,
  getMigration: ({ file }) => {
    const migration = migrations[file];
    return migration === undefined
      ? Promise.reject(new Error(`no migration ${file}`))
      : Promise.resolve(migration);
  },
};
