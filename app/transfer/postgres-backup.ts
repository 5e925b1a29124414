import { toError } from 'fp-ts/Either';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BackupOptions, isSqlite, migrationTable, storeTables } from '../../adapters/knex';
import { writeAtomically } from '../../adapters/files/partial';
import { notInitialized } from '../failures';
import { type RunTool, type ToolOptions, withTools } from './postgres-tools';

type Options = BackupOptions & ToolOptions;

/** Maximum time that pg_dump waits for the lock of a table, which a migration may hold. */
const lockTimeoutMs = 60_000;

/** Matches the entry of a table in the list of a dump. Names of schemas and owners may have blanks. */
const tableEntry = new RegExp(`^\\d+; \\d+ \\d+ TABLE DATA (.+) (${storeTables.join('|')}) .+$`, 'gm');

/**
 * Reads the whole dump, as a restore does. Returns the schema of the store, or undefined if the dump lacks the table of
 * animals or that of migrations, as the dump of another program does. Throws if the dump has tables of a second schema.
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

/**
 * Writes a dump of the store's tables to a file that only its owner can read, and checks the dump. Replaces the file if
 * it exists. Throws NotInitialized without the tables of a store.
 */
export const backupPostgres = (connectionString: string, file: string, options: Options): Promise<void> =>
  writeAtomically(file, (partial) =>
    withTools(connectionString, options, async (run) => {
      const size = (): number => statSync(partial, { throwIfNoEntry: false })?.size ?? 0;
      options.onStage?.('copying', () => ({ count: size(), noun: 'byte' }));
      // Names each table, because the database may have tables and extensions of other programs, which a restore can't
      // make again.
      const tables = storeTables.map((name) => `--table=${name}`);
      const dump = [
        '--format=custom',
        `--lock-wait-timeout=${lockTimeoutMs}`,
        `--file=${partial}`,
        ...tables,
      ];
      await run('pg_dump', dump).catch((error: unknown) => {
        throw toError(error).message.includes('no matching tables') ? notInitialized() : error;
      });
      options.onStage?.('checking');
      if ((await checkDump(run, partial)) === undefined) throw notInitialized();
    }),
  );

/** Script that grants a role the rights of the service. */
const grantsScript = join(dirname(require.resolve('#manifest')), 'deploy/postgres/grants.sql');

interface RestoreOptions extends Options {
  readonly role?: string | undefined;
  /** Name of the database that the address selects. */
  readonly database: string;
  /** Schema in which the service expects the tables. */
  readonly schema: string | undefined;
  /** Runs when the restore into a schema has committed, before the rights are granted. */
  readonly onRestored: (schema: string) => void;
}

/**
 * Restores a dump into a database without the tables of a store, in one transaction, and grants `role` the rights of
 * the service. Checks the whole dump first. Throws if its tables are of another schema, where the service would not
 * find them.
 */
export const restorePostgres = (
  connectionString: string,
  file: string,
  { role, database: name, schema, onRestored, ...options }: RestoreOptions,
): Promise<void> =>
  withTools(connectionString, options, async (run) => {
    options.onStage?.('checking');
    if (isSqlite(file))
      throw new Error(`${file} is a backup of SQLite; restore it into a SQLite file, and \`copy\` that`);
    const dumped = await checkDump(run, file);
    if (dumped === undefined) throw new Error(`${file} is not a backup of an animal store`);
    if (dumped !== schema)
      throw new Error(
        `the backup is of the schema ${dumped}, but the address selects ${schema === undefined ? 'no schema' : `the schema ${schema}`}; create the schema ${dumped} in the target, and select it by search_path`,
      );
    options.onStage?.('copying');
    const database = `--dbname=${name}`;
    await run('pg_restore', ['--no-owner', '--no-acl', '--single-transaction', database, file]);
    onRestored(dumped);
    if (role !== undefined)
      await run('psql', ['--no-psqlrc', '--quiet', database, `--set=role=${role}`, `--file=${grantsScript}`]);
  });
