import { DiagnosedError } from '../database/errors';
import { type Connection, hasTable } from '../database/store-database';
import { migrationTable } from '../database/tables';
import { migrations } from './migrations';

export interface SchemaState {
  readonly pending: ReadonlyArray<string>;
  readonly unknown: ReadonlyArray<string>;
  /** Number that rises when a migration breaks earlier versions of the program. It is 0 if no migration has run. */
  readonly generation: number;
  readonly expectedGeneration: number;
}

export const readSchemaState = async (connection: Connection): Promise<SchemaState> => {
  const ownNames = Object.keys(migrations);
  const names = (await hasTable(connection, migrationTable))
    ? await connection.knex(migrationTable).orderBy('id').pluck<Array<string>>('name')
    : [];
  return {
    pending: ownNames.filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !ownNames.includes(name)),
    generation: names.length === 0 ? 0 : generationOf(names),
    expectedGeneration: generationOf(ownNames),
  };
};

const generationOf = (names: ReadonlyArray<string>): number =>
  Math.max(1, ...names.map((name) => Number(/\.generation-(\d+)$/.exec(name)?.[1] ?? 1)));

/** Returns a fault if this version can't work with the tables, and undefined otherwise. */
export const generationMismatch = ({
  generation,
  expectedGeneration,
}: SchemaState): DiagnosedError | undefined => {
  if (generation === 0 || generation === expectedGeneration) return undefined;
  const generations = `schema generation ${generation}; this version works with ${expectedGeneration}`;
  return generation > expectedGeneration
    ? new DiagnosedError(
        `a newer version of animal-store has migrated the database (${generations})`,
        'NewerGeneration',
      )
    : new DiagnosedError(
        `an earlier version of animal-store made the tables (${generations})`,
        'EarlierGeneration',
      );
};

/** Throws if this version can't work with the tables. `mayRaiseGeneration` permits an earlier generation. */
export const requireGeneration = (state: SchemaState, mayRaiseGeneration = false): void => {
  const mismatch = generationMismatch(state);
  if (mismatch === undefined || (mayRaiseGeneration && mismatch.kind === 'EarlierGeneration')) return;
  throw mismatch;
};

/** Reads the state of the tables. Rejects if this version can't work with them. */
export const readUsableSchemaState = async (connection: Connection): Promise<SchemaState> => {
  const state = await readSchemaState(connection);
  requireGeneration(state);
  return state;
};
