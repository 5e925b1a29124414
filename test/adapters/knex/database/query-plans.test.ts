import { expect } from 'chai';
import type { Knex } from 'knex';
import { Client } from 'pg';
import {
  type OpenedDatabase,
  knexAuthenticate,
  knexPetRepository,
  migrate,
  openPostgres,
} from '../../../../adapters/knex';
import { ApiKey, decodeOrThrow, type PetFilters, type PetRepository } from '../../../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { sqliteFile, type TestDatabase } from '../../../support/databases/databases';
import { createPostgresDatabase, type PostgresDatabase } from '../../../support/postgres/postgres';
import { success } from '../../../contracts/outcome';

interface Statement {
  readonly sql: string;
  readonly bindings: ReadonlyArray<string | number>;
}

const limit = 20;
const rows = 20_000;

/** A value of each filter. The compiler reports a missing one. */
const filters: { readonly [Field in keyof PetFilters]-?: PetFilters } = {
  categoryId: { categoryId: 7n },
  status: { status: 'sold' },
};

const everyRead: Readonly<Record<string, (repository: PetRepository) => Promise<unknown>>> = {
  'the first page': ({ list }) => success(list({ limit })),
  'the newest animals': ({ list }) => success(list({ limit, order: 'desc' })),
  'a page deep in the list': ({ list }) => success(list({ limit, after: 15_000n })),
  ...Object.fromEntries(
    Object.entries({ ...filters, 'both filters': { categoryId: 7n, status: 'sold' as const } }).flatMap(
      ([field, filter]) => [
        [`the first page by ${field}`, ({ list }: PetRepository) => success(list({ limit, ...filter }))],
        [
          `a page deep in the list by ${field}`,
          ({ list }: PetRepository) => success(list({ limit, ...filter, after: 15_000n })),
        ],
        [
          `the newest animals by ${field}`,
          ({ list }: PetRepository) => success(list({ limit, ...filter, order: 'desc', after: 18_000n })),
        ],
      ],
    ),
  ),
  'pages by several statuses at once': ({ list }) =>
    Promise.all(
      (['available', 'pending', 'sold'] as const).map((status) =>
        success(list({ limit, status, after: 15_000n })),
      ),
    ),
  'one animal with its id': ({ find }) => success(find(9_999n)),
  'a batch of animals with their ids': ({ find }) =>
    Promise.all(Array.from({ length: 100 }, (_, place) => success(find(1n + 199n * BigInt(place))))),
};

/** Returns the statements that a pool runs while a function runs. */
const statementsOf = async (
  knex: Knex,
  action: () => Promise<unknown>,
): Promise<ReadonlyArray<Statement>> => {
  const statements: Array<Statement> = [];
  const note = ({ sql, bindings }: Statement): void => {
    if (/^(?:select|delete)/i.test(sql)) statements.push({ sql, bindings });
  };
  knex.on('query', note);
  await action();
  knex.removeListener('query', note);
  expect(statements).not.to.have.lengthOf(0);
  return statements;
};

describe('the query plans on SQLite', () => {
  let file: TestDatabase;
  let database: OpenedDatabase;

  before(async () => {
    file = await sqliteFile();
    database = file.open();
    await success(migrate(database));
    await database.writePool.raw(
      `insert into pets (name, category_id, status)
       with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${rows})
       select 'animal ' || n, n % 100, case n % 3 when 0 then 'sold' when 1 then 'available' end from numbers`,
    );
  });

  after(async () => {
    await database.close();
    await file.remove();
  });

  const planOf = async (knex: Knex, action: () => Promise<unknown>): Promise<ReadonlyArray<string>> => {
    const lines: Array<string> = [];
    for (const { sql, bindings } of await statementsOf(knex, action)) {
      const plan = await knex.raw<ReadonlyArray<{ detail: string }>>(`explain query plan ${sql}`, [
        ...bindings,
      ]);
      lines.push(...plan.map(({ detail }) => detail));
    }
    return lines;
  };

  for (const [name, read] of Object.entries(everyRead)) {
    it(`search an index for ${name}, by all of the condition, without a scan or a sort`, async () => {
      const plan = await planOf(database.readPool, () => read(knexPetRepository(database)));
      expect(plan.filter((line) => /SCAN pets|TEMP B-TREE/.test(line))).to.deep.equal([]);
      expect(plan.join()).to.match(
        name.includes(' by ')
          ? /SEARCH pets USING INDEX pets_by_\w+ \((?:\w+=\? AND )+(?:id|rowid)[<>]\?\)/
          : /SEARCH pets USING INTEGER PRIMARY KEY \(rowid[=<>]\?\)/,
      );
    });
  }

  it('search an index for idempotency records, expired or not', async () => {
    const { create } = knexPetRepository(database);
    const [newPet, idempotency] = [arbitraryNewPet(), arbitraryScopedIdempotencyKey()];
    const plan = await planOf(database.writePool, async () => {
      await success(create(newPet, { idempotency }));
      await success(create(newPet, { idempotency }));
    });
    expect(plan.filter((line) => /SCAN (?!CONSTANT ROW|json_each|\d)|TEMP B-TREE/.test(line))).to.deep.equal(
      [],
    );
    expect(plan.join()).to.match(/SEARCH idempotency_keys USING/);
  });

  it('search an index for API keys', async () => {
    const key = decodeOrThrow(ApiKey, `animals_${'0'.repeat(16)}_${'x'.repeat(43)}`);
    const plan = await planOf(database.readPool, () => knexAuthenticate(database)(key)());
    expect(plan.join()).to.match(/^SEARCH api_keys USING/);
  });
});

describe('the query plans on PostgreSQL', () => {
  let postgres: PostgresDatabase;
  let database: OpenedDatabase;
  let client: Client;

  before(async () => {
    postgres = await createPostgresDatabase();
    database = openPostgres(postgres.url, { poolSize: 2, statementTimeoutMs: 3_000 });
    client = new Client({ connectionString: postgres.url });
    await client.connect();
    await success(migrate(database));
    await client.query(
      `insert into pets (name, category_id, status)
       select 'animal ' || n, n % 100, case n % 3 when 0 then 'sold' when 1 then 'available' end
       from generate_series(1, ${rows}) as n`,
    );
    await client.query('vacuum analyze pets');
  });

  after(async () => {
    await client.end();
    await database.close();
    await postgres.drop();
  });

  for (const [name, read] of Object.entries(everyRead)) {
    it(`take an index for ${name}, without a scan, a sort or a needless row`, async () => {
      const statements = await statementsOf(database.readPool, () => read(knexPetRepository(database)));
      // Leaves out the first statement on a connection, which asks whether the server has Citus.
      const onPets = statements.filter(({ sql }) => sql.includes('from pets'));
      expect(onPets).not.to.have.lengthOf(0);
      for (const { sql, bindings } of onPets) {
        const plan = await client.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, [...bindings]);
        const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(text).to.match(/Index Cond/);
        expect(text).not.to.match(/Seq Scan/);
        // A list by both filters may read further rows, because an index on both fields would make creates a fifth
        // slower.
        if (!name.endsWith('both filters'))
          expect(text, 'rows read in vain').not.to.match(/Sort|(?<!One-Time )Filter/);
      }
    });
  }
});
