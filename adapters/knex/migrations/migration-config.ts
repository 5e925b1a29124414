import type { Knex } from 'knex';
import { migrationSource } from './migration-source';

/** The table of what has run. A host's own migrations have knex's default, `knex_migrations`, to themselves. */
export const migrationTable = 'animal_store_migrations';

/** What knex needs to run the migrations by itself. One that only a newer program knows is none of its business. */
export const migrationConfig: Knex.MigratorConfig = {
  migrationSource,
  tableName: migrationTable,
  disableMigrationsListValidation: true,
};
