import { migrationSource } from '../../../adapters/knex/service';

/** The names of the service's migrations, in order. */
export const migrationNames = async (): Promise<ReadonlyArray<string>> =>
  (await migrationSource.getMigrations([])).map((migration) => migrationSource.getMigrationName(migration));
