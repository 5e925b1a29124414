import type { Knex } from 'knex';

/** A setting of a PostgreSQL server: its name, and its value as the session has it. */
export type Setting = readonly [name: string, value: string];

/** `name=value`, as a configuration file has it. */
export const settingText = ([name, value]: Setting): string => `${name}=${value}`;

/** Reads the settings of these names, in the order of the alphabet. */
export const readSettings = async (
  pool: Knex,
  ...names: ReadonlyArray<string>
): Promise<ReadonlyMap<string, string>> => {
  const rows = await pool('pg_settings')
    .whereIn('name', names)
    .orderBy('name')
    .select<ReadonlyArray<{ readonly name: string; readonly setting: string }>>('name', 'setting');
  return new Map(rows.map(({ name, setting }) => [name, setting]));
};
