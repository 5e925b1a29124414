import { migrate, openSqlite, type Database } from '../../../adapters/knex';
import { success } from '../../contracts/outcome';
import { type CheckResult, diagnose } from '../../../app/doctor';
import type { Environment } from '../../support/processes/command';

/** The same as the command, without the time that a process takes. */
export const doctor = async (environment: Environment) => {
  const results = await diagnose({ PORT: '0', ...environment });
  return { results, failed: results.filter(({ ok }) => !ok), text: JSON.stringify(results) };
};

/** A database that is up to date, and closed at the end. */
export const withDatabase = async (
  file: string,
  use: (database: Database) => Promise<unknown>,
): Promise<void> => {
  const database = openSqlite(file);
  try {
    await success(migrate(database));
    await use(database);
  } finally {
    await database.close();
  }
};

export const checksOf = (results: ReadonlyArray<CheckResult>) => results.map(({ check }) => check);
