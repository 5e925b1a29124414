import { expect } from 'chai';
import { migrate, type OpenedDatabase } from '../../../adapters/knex';
import { type Pet } from '../../../core';
import { success } from '../../contracts/outcome';
import { petWithId } from '../../contracts/pet-repository/seeds';
import { seedPets } from '../../support/databases/catalogue';
import { postgresDatabase, type TestDatabase } from '../../support/databases/databases';
import { setLastId } from '../../support/postgres/postgres';
import { runInProcess } from '../../support/processes/run-in-process';
import { killServices } from '../../support/service/service-process';

export const bound = 30_000;

export const largestSeed = 9007199254740993n;

const names = ['', 'e\u0301', '"\\\n\r\t', '\ufeff', '🐢', "'); drop table pets; --", '$1 ? :x', ' - '];

export const oddPets: ReadonlyArray<Pet> = names.map((name, index) => ({
  ...petWithId([-(2n ** 63n), -1n, 0n, 1n, largestSeed, 7n, 8n, 9n][index] ?? 10n),
  name: name,
  ...(index % 2 === 0 ? { status: 'sold' as const } : {}),
}));

export const withOpen = async <A>(
  { open }: TestDatabase,
  use: (database: OpenedDatabase) => Promise<A>,
): Promise<A> => {
  const database = open();
  try {
    await success(migrate(database));
    return await use(database);
  } finally {
    await database.close();
  }
};

export const makeTables = (made: TestDatabase): Promise<void> => withOpen(made, () => Promise.resolve());

/** Returns all values of all tables as text, sorted by their JSON. */
export const contentsOf = (made: TestDatabase) =>
  withOpen(made, async ({ readPool }) => {
    const contents: Record<string, ReadonlyArray<string>> = {};
    for (const table of ['pets', 'api_keys', 'idempotency_keys']) {
      const columns = Object.keys(await readPool(table).columnInfo()).sort();
      const rows: ReadonlyArray<unknown> = await readPool(table).select(
        columns.map((column) => readPool.raw('cast(?? as text) as ??', [`${table}.${column}`, column])),
      );
      contents[table] = rows.map((row) => JSON.stringify(row)).sort();
    }
    return contents;
  });

export const nothing = { pets: [], api_keys: [], idempotency_keys: [] };

export const copy = (from: string, to: string) => runInProcess(['copy', to], { DATABASE_URL: from });

export const expectFailure = async (
  from: string,
  to: string,
  reason: string,
  remains = 'nothing was copied',
) => {
  const { code, stderr } = await copy(from, to);
  expect(stderr).to.include(`error: ${reason}`).and.include(`; ${remains}\n`);
  expect(code).to.equal(1);
};

export const rex = '{"name":"Rex","categoryId":9007199254740993}';
export const tom = '{"name":"Tom","categoryId":1}';

export const fileOf = ({ databaseUrl }: TestDatabase): string => databaseUrl.slice('sqlite:'.length);

/** Makes a source with `oddPets` and a target without tables, and removes both afterwards. */
export const withBoth = async (
  makeSource: () => Promise<TestDatabase>,
  makeTarget: () => Promise<TestDatabase>,
  test: (source: TestDatabase, target: TestDatabase) => Promise<void>,
): Promise<void> => {
  const [source, target] = [await makeSource(), await makeTarget()];
  try {
    await withOpen(source, async (database) => {
      await seedPets(database, oddPets);
      if (makeSource === postgresDatabase) await setLastId(database, largestSeed);
    });
    await test(source, target);
  } finally {
    await killServices();
    await source.remove();
    await target.remove();
  }
};
