import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '../../support/eventually';
import { type Running, startProgram } from '../../support/processes/command';

const moreMigrations = pathToFileURL(join(__dirname, 'more-migrations.mjs')).href;

export const otherBuild = (more: 'adds' | 'breaks' | 'takesLong') => ({
  NODE_OPTIONS: `--import=${moreMigrations}`,
  TEST_MIGRATIONS: more,
});

/** Starts a migration that never ends, holds the migration lock and has created some of the tables. */
export const startHangingMigrator = async (databaseUrl: string): Promise<Running> => {
  const preloaded = ['tsx', './test/support/databases/hang-in-migration.ts'];
  const migrator = startProgram(
    process.execPath,
    [...preloaded.flatMap((file) => ['--require', file]), 'app/main.ts', 'migrate'],
    { environment: { DATABASE_URL: databaseUrl } },
  );
  await eventually('it is in the middle of the migrations', 60_000, () => migrator.stderr().includes('amid'));
  return migrator;
};
