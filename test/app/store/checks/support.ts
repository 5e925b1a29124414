import { migrate, openSqlite, type OpenedDatabase } from '../../../../adapters/knex';
import { success } from '../../../contracts/outcome';
import { diagnose, resultOf } from '../../../../app/commands/doctor';
import type { Environment } from '../../../support/processes/command';

/** Runs `doctor` in this process, which is faster than a new process. */
export const doctor = async (environment: Environment) => {
  const results = (await diagnose({ PORT: '0', ...environment })).map(resultOf);
  return { results, failed: results.filter(({ ok }) => !ok), text: JSON.stringify(results) };
};

export const withDatabase = async (
  file: string,
  use: (database: OpenedDatabase) => Promise<unknown>,
): Promise<void> => {
  const database = openSqlite(file);
  try {
    await success(migrate(database));
    await use(database);
  } finally {
    await database.close();
  }
};

export const checksOf = (results: ReadonlyArray<{ readonly check: string }>) =>
  results.map(({ check }) => check);
