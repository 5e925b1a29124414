import type { Knex } from 'knex';
import { initialMigration } from './initial-migration';

/**
 * Migrations by name, in order. Programs of one schema generation run side by side. A migration that breaks older programs
 * begins the next generation, as its name says: `012_drop_status.generation-2`. So does a migration that restricts access,
 * such as an expiry of keys, because an older program would ignore the restriction.
 */
export const migrations: Readonly<Record<string, Knex.Migration>> = {
  '001_create_tables': initialMigration,
};

const generationMark = /\.generation-([0-9]+)$/;

export const generationBegunBy = (name: string): number | undefined => {
  const [, generation] = generationMark.exec(name) ?? [];
  return generation === undefined ? undefined : Number(generation);
};

interface NamedMigration {
  /** Name of the migration. The command line of Knex prints `file` for a pending one. */
  readonly file: string;
  readonly migration: Knex.Migration;
}

export const migrationSource: Knex.MigrationSource<NamedMigration> = {
  getMigrations: () =>
    Promise.resolve(Object.entries(migrations).map(([file, migration]) => ({ file, migration }))),
  getMigrationName: ({ file }) => file,
  getMigration: ({ migration }) => Promise.resolve(migration),
};

/** Differs from the default of Knex, `knex_migrations`, which a host uses for its own migrations. */
export const migrationTable = 'animal_store_migrations';

/** Configuration for Knex to run the migrations. Migrations that only a newer program knows are ignored. */
export const migrationConfig: Knex.MigratorConfig = {
  migrationSource,
  tableName: migrationTable,
  disableMigrationsListValidation: true,
};
