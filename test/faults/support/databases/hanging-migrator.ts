import { type Running, startProgram } from '../../../support/processes/command';
import { eventually } from '../../../support/eventually';

const preloaded = ['tsx', './test/support/databases/hang-in-migration.ts'];

/** Starts a migration that never ends; it holds the lock, and has made some of the tables. */
export const startHangingMigrator = async (databaseUrl: string): Promise<Running> => {
  const migrator = startProgram(
    process.execPath,
    [...preloaded.flatMap((file) => ['--require', file]), 'app/main.ts', 'migrate'],
    { environment: { DATABASE_URL: databaseUrl } },
  );
  await eventually('it is amid the migrations', 60_000, () => migrator.stderr().includes('amid'));
  return migrator;
};
