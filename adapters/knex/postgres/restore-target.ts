import type { TaskEither } from 'fp-ts/TaskEither';
import type { Unavailable } from '../../../core';
import type { PostgresDatabase } from '../database/opened-database';
import { toTaskEither } from '../database/errors';
import { storeTables } from '../database/tables';

interface RestoreTarget {
  readonly database: string;
  readonly schema: string | undefined;
  /** Name of a table in the schema that the restore would have to create, or null. */
  readonly takenTable: string | null;
}

export const readRestoreTarget = (target: PostgresDatabase): TaskEither<Unavailable, RestoreTarget> =>
  toTaskEither(async () => {
    const schema = await target.currentSchema();
    const { rows } = await target.readPool.raw<{
      readonly rows: readonly [Pick<RestoreTarget, 'database' | 'takenTable'>];
    }>(
      `select current_database() as database, (
         select tablename from pg_catalog.pg_tables where schemaname = ? and tablename = any(?) limit 1
       ) as "takenTable"`,
      [schema ?? '', [...storeTables]],
    );
    return { ...rows[0], schema };
  });

/** Drops all tables of a store, or none if the statement fails. */
export const dropStoreTables = (
  { writePool }: PostgresDatabase,
  schema: string,
): TaskEither<Unavailable, void> =>
  toTaskEither(async () => {
    const tables = storeTables.map(() => '??.??').join(', ');
    await writePool.raw(
      `drop table if exists ${tables}`,
      storeTables.flatMap((table) => [schema, table]),
    );
  });
