import type { Knex } from 'knex';
import { generationBegunBy, migrations, migrationTable } from './migrations';

export interface SchemaState {
  readonly pending: ReadonlyArray<string>;
  readonly unknown: ReadonlyArray<string>;
  /** Starts at 1, and grows by 1 with each migration that earlier versions cannot work with; 0 without a schema. */
  readonly generation: number;
  readonly expectedGeneration: number;
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
    expectedGeneration: generationOf(known),
  };
};

export const generationMismatch = ({ generation, expectedGeneration }: SchemaState): string | undefined => {
  if (generation === 0 || generation === expectedGeneration) return undefined;
  const found = `the schema has generation ${generation}, but this program needs ${expectedGeneration}`;
  return generation > expectedGeneration
    ? `${found}; run the newer version that migrated it, or restore a backup of generation ${expectedGeneration}`
    : `${found}; stop every instance of an earlier version, make a backup, then run \`animal-store migrate\``;
};
