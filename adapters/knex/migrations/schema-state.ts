import type { Knex } from 'knex';
import { readRecord } from './migration-record';
import { migrations } from './migration-source';

/** How the schema of a database stands to this program. */
export interface SchemaState {
  /** The names of the migrations that it lacks. */
  readonly pending: ReadonlyArray<string>;
  /** What it has of migrations that this program does not know: a newer one's. */
  readonly unknown: ReadonlyArray<string>;
  /** Its generation: 1, raised by each migration that breaks programs which do not know it; 0 of an empty database. */
  readonly generation: number;
  /** The generation that this program works with. */
  readonly expected: number;
}

const mark = /\.generation-([0-9]+)$/;

/** The generation of a schema, from the names of its migrations: the last that one of them begins. */
const generationOf = (names: ReadonlyArray<string>): number =>
  names.reduce((generation, name) => Math.max(generation, Number(mark.exec(name)?.[1] ?? 1)), 1);

/** Reads it, and where the record stands. */
export const readSchemaState = async (knex: Knex) => {
  const known = Object.keys(migrations);
  const { names, isFormer } = await readRecord(knex, known);
  return {
    pending: known.filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !known.includes(name)),
    generation: names.length === 0 ? 0 : generationOf(names),
    expected: generationOf(known),
    /** What has to be moved to where this version keeps it. */
    former: isFormer ? names : [],
  };
};

/** What to do about a schema of another generation, in words; undefined where this program works with it. */
export const generationMismatch = ({ generation, expected }: SchemaState): string | undefined => {
  if (generation === 0 || generation === expected) return undefined;
  const found = `its schema is of generation ${generation}, this program works with ${expected}`;
  return generation > expected
    ? `${found}: run the version that made it, or restore a backup of generation ${expected}`
    : `${found}: stop every instance of an earlier version, make a backup, then run \`animal-store migrate\``;
};
