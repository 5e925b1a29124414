import type { Knex } from 'knex';
import { migrationConfig, migrationTable } from './migration-config';

/** Where earlier versions recorded what has run; knex's default, so that a host may have its own there. */
const formerTable = 'knex_migrations';

const namesIn = async (knex: Knex, table: string): Promise<ReadonlyArray<string>> =>
  (await knex.schema.hasTable(table)) ? knex(table).orderBy('id').pluck<Array<string>>('name') : [];

/**
 * The names of the migrations that a database has seen, and whether their record still stands where earlier versions kept
 * it. `known` are those of this program: a host may have others in the former table.
 */
export const readRecord = async (knex: Knex, known: ReadonlyArray<string>) => {
  const names = await namesIn(knex, migrationTable);
  if (names.length > 0) return { names, isFormer: false };
  const former = (await namesIn(knex, formerTable)).filter((name) => known.includes(name));
  // Knex's own command line may have rolled back since what is recorded there.
  const isFormer = former.length > 0 && (await knex.schema.hasColumn('pets', 'category_id'));
  return { names: isFormer ? former : [], isFormer };
};

interface RecordRow {
  readonly name: string;
  readonly batch: number;
  readonly migration_time: unknown;
}

/**
 * Moves a record to where this version keeps it. Where it had the former table to itself it stays there as well, so that
 * a program of an earlier version still finds it beside this one; a host's table is freed of it.
 */
export const moveRecord = async (
  transaction: Knex.Transaction,
  names: ReadonlyArray<string>,
): Promise<void> => {
  // Knex makes the table when it is asked for a list.
  await transaction.migrate.list(migrationConfig);
  const rows = await transaction(formerTable)
    .whereIn('name', names)
    .orderBy('id')
    .select<ReadonlyArray<RecordRow>>('name', 'batch', 'migration_time');
  await transaction(migrationTable).insert(rows);
  const ofOthers: unknown = await transaction(formerTable).whereNotIn('name', names).first('name');
  if (ofOthers !== undefined) await transaction(formerTable).whereIn('name', names).delete();
};
