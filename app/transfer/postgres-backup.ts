/* Backups and restores of PostgreSQL with pg_dump and pg_restore. */

import * as E from 'fp-ts/Either';
import { constVoid } from 'fp-ts/function';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type BackupOptions,
  DiagnosedError,
  dropStoreTables,
  isSqlite,
  migrateExisting,
  migrationTable,
  type PostgresDatabase,
  readRestoreTarget,
  readSchema,
  storeTables,
} from '../../adapters/knex';
import { writeAtomically } from '../../adapters/files/partial';
import { CommandFailed, notInitialized, orFail } from '../failures';
import { type RunTool, type ToolOptions, withTools } from './postgres-tools';

type Options = BackupOptions & ToolOptions;

/**
 * Writes a dump of the store's tables to a file that only its owner can read, and checks the dump. Replaces the file if
 * it exists. Throws NotInitialized without the tables of a store.
 */
export const backupPostgres = (connectionString: string, file: string, options: Options): Promise<void> =>
  writeAtomically(file, (partial) =>
    withTools(connectionString, options, async (run) => {
      const size = (): number => statSync(partial, { throwIfNoEntry: false })?.size ?? 0;
      options.onStage?.('copying', () => ({ count: size(), noun: 'byte' }));
      await dumpTables(run, partial);
      options.onStage?.('checking');
      if ((await checkDump(run, partial)) === undefined) throw notInitialized();
    }),
  );

interface RestoreOptions extends Options {
  /** Role that gets the rights of the service, if any. */
  readonly role?: string | undefined;
  /** True to drop the restored tables at the end. */
  readonly check: boolean;
  /** Changes the text about what is stored if the restore fails. */
  readonly setRemains: (describe: () => string) => void;
}

/** Text about what is stored before a restore has committed. */
export const unchanged = (): string => 'the database is unchanged';

/**
 * Restores a dump into a database without a store, and migrates it. Calls `describe` with the names of the migrations,
 * and returns its result. With `check`, or if this version can't use the restored tables, drops them.
 */
export const restorePostgres = async <A>(
  file: string,
  connectionString: string,
  database: PostgresDatabase,
  options: RestoreOptions,
  describe: (migrated: ReadonlyArray<string>) => Promise<A>,
): Promise<A> => {
  const { check, signal, onStage, setRemains } = options;
  let restoredSchema: string | undefined;
  let dropsAfterFailure = check;
  const dropTables = async (): Promise<void> => {
    if (restoredSchema === undefined) return;
    await orFail(dropStoreTables(database, restoredSchema));
    restoredSchema = undefined;
    setRemains(unchanged);
  };
  try {
    const target = await requireEmpty(database);
    await withTools(connectionString, options, (run) =>
      restoreDump(run, file, target, options, (schema) => {
        restoredSchema = schema;
      }),
    );
    setRemains(() => `the animals are restored, but not migrated: ${migrateText}`);
    onStage?.('migrating');
    const migrated = await migrateExisting(database, { mayRaiseGeneration: true, signal })();
    if (E.isLeft(migrated)) {
      const { left: failure } = migrated;
      // Drops the tables only after a failure that a retry of the migration can't resolve.
      if (failure._tag === 'Unavailable' && failure.cause instanceof DiagnosedError) dropsAfterFailure = true;
      throw new CommandFailed(failure);
    }
    setRemains(() => 'the animals are restored and migrated, but were not counted');
    const description = await describe(migrated.right);
    if (check) await dropTables();
    return description;
  } catch (error) {
    // Ignores a failure to drop the tables, which must not hide the first error.
    if (dropsAfterFailure) await dropTables().catch(constVoid);
    throw error;
  }
};

const migrateText = 'run `animal-store migrate` with DATABASE_URL set to the target';

/** Maximum time that pg_dump waits for the lock of a table, which a migration may hold. */
const lockTimeoutMs = 60_000;

/** Names each table, because the database may have tables and extensions of other programs, which can't be restored. */
const dumpTables = async (run: RunTool, file: string): Promise<void> => {
  const tables = storeTables.map((name) => `--table=${name}`);
  const options = ['--format=custom', `--lock-wait-timeout=${lockTimeoutMs}`, `--file=${file}`, ...tables];
  await run('pg_dump', options).catch((error: unknown) => {
    throw E.toError(error).message.includes('no matching tables') ? notInitialized() : error;
  });
};

/** Matches the entry of a table in the list of a dump. Names of schemas and owners may have blanks. */
const tableEntry = new RegExp(`^\\d+; \\d+ \\d+ TABLE DATA (.+) (${storeTables.join('|')}) .+$`, 'gm');

/**
 * Reads the whole dump, as a restore does. Returns the schema of the store. Returns undefined if the dump lacks the
 * table of animals or that of migrations, as a dump of another program does. Throws if the dump has tables of a second
 * schema.
 */
const checkDump = async (run: RunTool, file: string): Promise<string | undefined> => {
  await run('pg_restore', ['--file=/dev/null', file]);
  const entries = [...(await run('pg_restore', ['--list', file])).matchAll(tableEntry)];
  const [, schema] = entries.find(([, , table]) => table === 'pets') ?? [];
  if (!entries.some(([, , table]) => table === migrationTable)) return undefined;
  const [, other, table] = entries.find(([, each]) => each !== schema) ?? [];
  if (schema === undefined || other === undefined) return schema;
  throw new Error(
    `the backup has the animals of the schema ${schema}, but the table ${table ?? ''} of ${other}; let the search_path in DATABASE_URL name only the schema of the store`,
  );
};

interface Target {
  /** Name of the database that the address selects. */
  readonly database: string;
  /** Schema in which the service expects the tables. */
  readonly schema: string | undefined;
}

/** Throws if the database has a table of a store. */
const requireEmpty = async (database: PostgresDatabase): Promise<Target> => {
  if ((await orFail(readSchema(database))).generation > 0)
    throw new Error('there is a store in the target already; restore into a database without one');
  const { takenTable, ...target } = await orFail(readRestoreTarget(database));
  if (takenTable !== null)
    throw new Error(`the target has a table ${takenTable} already; restore into an empty database`);
  return target;
};

const grantsScript = join(dirname(require.resolve('#manifest')), 'deploy/postgres/grants.sql');

/**
 * Restores a dump in one transaction, and grants `role` the rights of the service. Checks the whole dump first. Throws
 * if its tables are of another schema, where the service would not find them.
 */
const restoreDump = async (
  run: RunTool,
  file: string,
  { database: name, schema }: Target,
  { role, onStage, setRemains }: RestoreOptions,
  onCommitted: (schema: string) => void,
): Promise<void> => {
  onStage?.('checking');
  if (isSqlite(file))
    throw new Error(`${file} is a backup of SQLite; restore it into a SQLite file, and \`copy\` that`);
  const dumped = await checkDump(run, file);
  if (dumped === undefined) throw new Error(`${file} is not a backup of an animal store`);
  if (dumped !== schema)
    throw new Error(
      `the backup is of the schema ${dumped}, but the address selects ${schema === undefined ? 'no schema' : `the schema ${schema}`}; create the schema ${dumped} in the target, and select it by search_path`,
    );
  onStage?.('copying');
  const database = `--dbname=${name}`;
  await run('pg_restore', ['--no-owner', '--no-acl', '--single-transaction', database, file]);
  onCommitted(dumped);
  const grantText = `run \`psql --set=role=${role ?? 'ROLE'} --file=deploy/postgres/grants.sql\` on the target`;
  setRemains(
    () => `the animals are restored, without the rights of the service: ${grantText}, and ${migrateText}`,
  );
  if (role !== undefined)
    await run('psql', ['--no-psqlrc', '--quiet', database, `--set=role=${role}`, `--file=${grantsScript}`]);
};
