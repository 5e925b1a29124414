import type { Knex } from 'knex';
import type { PetStatements } from '../database/pet-statements';
import { petColumns, type PetRow } from '../database/pet-rows';
import { retryConflicts } from '../database/retry-conflicts';

interface PageRow extends PetRow {
  readonly page: string;
}

interface Result<Row> {
  readonly rows: ReadonlyArray<Row>;
}

const ofAnyStatus = 'pets.id >= starts.first order by pets.id';

// A stretch of the index on status and id. `status = starts.wanted` would say the same, and let the planner walk along
// the primary key instead, past all that have another status.
const ofOneStatus = `(status, pets.id) >= (starts.wanted, starts.first) and status <= starts.wanted
         order by status, pets.id`;

/** A statement that each connection prepares once, by this name. */
const run = async <Row>(
  knex: Knex,
  name: string,
  sql: string,
  bindings: ReadonlyArray<number | Array<string>>,
): Promise<ReadonlyArray<Row>> => {
  const { rows } = await knex.raw<Result<Row>>(sql, bindings).options({ name });
  return rows;
};

export const postgresPetStatements = (reads: Knex): PetStatements => ({
  byIds: (ids) =>
    retryConflicts(() =>
      run<PetRow>(reads, 'pets by ids', `select ${petColumns} from pets where pets.id = any(?::bigint[])`, [
        ids.map(String),
      ]),
    ),
  pages: async (starts, limit) => {
    const withStatus = starts.some(({ status }) => status !== undefined);
    const rows = await retryConflicts(() =>
      run<PageRow>(
        reads,
        withStatus ? 'pages of a status' : 'pages',
        `select page, found.* from unnest(?::bigint[], ?::text[]) with ordinality as starts(first, wanted, page)
         cross join lateral (
           select ${petColumns} from pets where ${withStatus ? ofOneStatus : ofAnyStatus} limit ?
         ) as found`,
        [starts.map(({ from }) => from.toString()), starts.map(({ status }) => status ?? ''), limit],
      ),
    );
    const pages = starts.map((): Array<PetRow> => []);
    for (const row of rows) pages[Number(row.page) - 1]?.push(row);
    return pages;
  },
  insert: (writes, newPets) =>
    run<PetRow>(
      writes,
      'insert pets',
      `insert into pets (name, category_id, status)
       select name, category_id, nullif(status, '')
       from unnest(?::text[], ?::bigint[], ?::text[]) as fresh (name, category_id, status)
       returning ${petColumns}`,
      [
        newPets.map(({ name }) => name),
        newPets.map(({ categoryId }) => categoryId.toString()),
        newPets.map(({ status = '' }) => status),
      ],
    ),
  insertKeys: (writes, keys) =>
    run(
      writes,
      'insert keys',
      `insert into creation_keys (caller, idempotency_key, pet_id, kept_until)
       select * from unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[])`,
      [
        keys.map(({ caller }) => caller),
        keys.map(({ idempotency_key }) => idempotency_key),
        keys.map(({ pet_id }) => pet_id.toString()),
        keys.map(({ kept_until }) => String(kept_until)),
      ],
    ),
});
