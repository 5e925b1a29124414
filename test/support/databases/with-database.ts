import { type Database, migrate } from '../../../adapters/knex';
import type { TestDatabase } from './databases';
import { run } from '../run';

/** Opens a migrated database as often as told, and closes and removes it whatever comes of the test. */
export const withDatabases = async (
  count: number,
  makeDatabase: () => Promise<TestDatabase>,
  test: (...databases: ReadonlyArray<Database>) => Promise<void>,
): Promise<void> => {
  const { open, remove } = await makeDatabase();
  const databases = Array.from({ length: count }, open);
  try {
    for (const database of databases) await run(migrate(database));
    await test(...databases);
  } finally {
    await Promise.all(databases.map(({ close }) => close()));
    await remove();
  }
};

/** The same for one. */
export const withDatabase = (
  makeDatabase: () => Promise<TestDatabase>,
  test: (database: Database) => Promise<void>,
): Promise<void> => withDatabases(1, makeDatabase, test);
