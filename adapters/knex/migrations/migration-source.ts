import type { Knex } from 'knex';
import { addKeyOwners } from './add-key-owners';
import { createApiKeys } from './create-api-keys';
import { createCreationKeys } from './create-creation-keys';
import { createHeartbeats } from './create-heartbeats';
import { createPets } from './create-pets';
import { createRateLimits } from './create-rate-limits';

/**
 * By name, in order. One that only adds leaves the generation of the schema; one that breaks programs which do not know it
 * begins the next, and says so in its name: `012_drop_status.generation-2`.
 */
export const migrations: Readonly<Record<string, Knex.Migration>> = {
  '001_create_pets': createPets,
  '002_create_creation_keys': createCreationKeys,
  '003_create_api_keys': createApiKeys,
  '004_create_heartbeats': createHeartbeats,
  '005_create_rate_limits': createRateLimits,
  '006_add_key_owners': addKeyOwners,
};

interface NamedMigration {
  /** Its name, by which knex's command line prints one that is pending. */
  readonly file: string;
  readonly migration: Knex.Migration;
}

/** The one list of migrations, in order, for the service and for knex's own command line. */
export const migrationSource: Knex.MigrationSource<NamedMigration> = {
  getMigrations: () =>
    Promise.resolve(Object.entries(migrations).map(([file, migration]) => ({ file, migration }))),
  getMigrationName: ({ file }) => file,
  getMigration: ({ migration }) => Promise.resolve(migration),
};
