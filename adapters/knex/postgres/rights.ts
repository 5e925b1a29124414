import type { Knex } from 'knex';
import { errorWithCode, rowSecurityError } from '../database/errors';
import type { RunStatement } from '../database/opened-database';
import { tables } from '../database/tables';

/** Rights that `serve` needs, by table or sequence. */
export const requiredRights: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...Object.fromEntries(
    tables.filter(({ rights }) => rights.length > 0).map(({ name, rights }) => [name, rights]),
  ),
  pets_id_seq: ['usage'],
};

/** Selects the rights that the role lacks. A null right marks a table whose rows row-level security would hide. */
const missingRightsSql = `select name, "right" from unnest(?::text[], ?::text[]) as needed (name, "right"),
    lateral (select to_regclass(quote_ident({current_schema}) || '.' || quote_ident(name)) as id) as found
  where id is not null and not case "right"
    when 'usage' then has_sequence_privilege(id, 'usage')
    when 'delete' then has_table_privilege(id, 'delete')
    else has_any_column_privilege(id, "right") end
  union all select distinct name, null from unnest(?::text[]) as table_name (name),
    lateral (select to_regclass(quote_ident({current_schema}) || '.' || quote_ident(name)) as id) as found
  where id is not null and row_security_active(id)`;

/** Rejects if the role lacks a right, or if row-level security would hide rows from it. */
export const checkRights = async (pool: Knex, run: RunStatement): Promise<void> => {
  const needed = Object.entries(requiredRights).flatMap(([name, each]) =>
    each.map((right) => [name, right] as const),
  );
  const rows = await run<{ readonly name: string; readonly right: string | null }>(
    pool,
    { sql: missingRightsSql },
    [needed.map(([name]) => name), needed.map(([, right]) => right), Object.keys(requiredRights)],
  );
  const hiding = rows.filter(({ right }) => right === null).map(({ name }) => name);
  if (hiding.length > 0) throw rowSecurityError(hiding);
  const rights = rows.map(({ name, right }) => `${right ?? ''} on ${name}`);
  if (rights.length > 0) throw errorWithCode('42501', `permission denied: ${rights.join(', ')}`);
};
