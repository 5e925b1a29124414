import type { Knex } from 'knex';
import { generationBegunBy, migrations, migrationTable } from './migrations';

export interface SchemaState {
  readonly pending: ReadonlyArray<string>;
  readonly unknown: ReadonlyArray<string>;
  readonly generation: number;
  readonly expected: number;
}

const generationOf = (names: ReadonlyArray<string>): number =>
  names.reduce((generation, name) => Math.max(generation, generationBegunBy(name) ?? 1), 1);

export const readSchemaState = async (knex: Knex): Promise<SchemaState> => {
  const known = Object.keys(migrations);
  const names = (await knex.schema.hasTable(migrationTable))
    ? await knex(migrationTable).orderBy('id').pluck<Array<string>>('name')
    : [];
  return {
    pending: known.filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !known.includes(name)),
    generation: names.length === 0 ? 0 : generationOf(names),
    expected: generationOf(known),
  };
};

/** Returns advice on a schema of another generation, or undefined if this program supports the schema. */
export const generationMismatch = ({ generation, expected }: SchemaState): string | undefined => {
  if (generation === 0 || generation === expected) return undefined;
  const found = `its schema has generation ${generation}, but this program needs ${expected}`;
  return generation > expected
    ? `${found}: run the version that created it, or restore a backup of generation ${expected}`
    : `${found}: stop every instance of an earlier version, make a backup, then run \`animal-store migrate\``;
};
