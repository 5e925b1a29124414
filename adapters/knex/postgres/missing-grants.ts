import type { Knex } from 'knex';

/** Rights that a running service needs, by table. Row locks need the right to update. */
const needed: Readonly<Record<string, ReadonlyArray<string>>> = {
  pets: ['select', 'insert'],
  creation_keys: ['select', 'insert', 'update', 'delete'],
  api_keys: ['select'],
  heartbeats: ['select', 'insert', 'update'],
  animal_store_migrations: ['select'],
};

const neededToCount = { rate_limits: ['select', 'insert', 'update', 'delete'] };

interface Right {
  readonly name: string;
  readonly right: string;
}

export const missingGrants = async (pool: Knex, countsRequests: boolean): Promise<ReadonlyArray<string>> => {
  const rights = Object.entries({ ...needed, ...(countsRequests ? neededToCount : {}) }).flatMap(
    ([name, ofTable]) => ofTable.map((right): Right => ({ name, right })),
  );
  // Rights on columns are enough. A right on the table implies them.
  const { rows } = await pool.raw<{ readonly rows: ReadonlyArray<Right & { readonly role: string }> }>(
    `select quote_ident(current_user) as role, name, string_agg("right", ', ' order by place) as "right"
     from unnest(?::text[], ?::text[]) with ordinality as needed(name, "right", place)
     where to_regclass(name) is not null and not case "right"
       when 'delete' then has_table_privilege(to_regclass(name), "right")
       else has_any_column_privilege(to_regclass(name), "right") end
     group by name order by min(place)`,
    [rights.map(({ name }) => name), rights.map(({ right }) => right)],
  );
  return rows.map(({ role, name, right }) => `grant ${right} on ${name} to ${role}`);
};
