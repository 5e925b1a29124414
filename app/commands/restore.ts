import { Command } from 'commander';
import * as E from 'fp-ts/Either';
import { constVoid } from 'fp-ts/function';
import { join } from 'node:path';
import {
  DiagnosedError,
  dropStoreTables,
  migrateExisting,
  openSqlite,
  type OpenedDatabase,
  type PostgresDatabase,
  summarizeContents,
  readRestoreTarget,
  readSchema,
  restoreSqlite,
} from '../../adapters/knex';
import { CommandFailed, orFail } from '../failures';
import { type DatabaseUrl, databaseUrlText, type PostgresDatabaseUrl } from '../settings/database-url';
import { openConfiguredPostgres, requireDriver } from '../store/database';
import { fileAdvice } from '../failures/file-advice';
import type { Terminal } from '../terminal/terminal';
import { counted } from '../terminal/text';
import { restorePostgres } from '../transfer/postgres-backup';
import { withTemporaryFolder } from '../transfer/temporary-folder';
import { fileName, parseAddress, refuseOptions } from './arguments';
import { type LongCommand, runLongCommand, stagesOf, warningsOf } from './run-long-command';
import { onTarget } from './target-url';

interface Options {
  readonly replace?: boolean;
  readonly into?: DatabaseUrl;
  readonly role?: string;
  readonly check?: boolean;
}

const migratedText = (migrated: ReadonlyArray<string>): string =>
  migrated.length === 0
    ? ''
    : `; the backup is of an earlier version, so its copy was migrated: ${migrated.join(', ')}`;

const contentsText = async (database: OpenedDatabase): Promise<string> => {
  const { animals, lastId, newestAt, lastUsedAt } = await orFail(summarizeContents(database));
  const newest = newestAt === null ? '' : `the newest was created at ${newestAt}, `;
  const use = lastUsedAt === null ? 'no key was used' : `a key was last used within an hour of ${lastUsedAt}`;
  return `${counted(animals, 'animal')}, ${newest}the last id is ${lastId}, ${use}`;
};

const unchanged = (): string => 'the database is unchanged';

const migrateText = 'run `animal-store migrate` with DATABASE_URL set to the target';

/** Throws if the target has a table of a store. Otherwise returns the facts about the target that a restore needs. */
const requireEmpty = async (database: PostgresDatabase) => {
  if ((await orFail(readSchema(database))).generation > 0)
    throw new Error('there is a store in the target already; restore into a database without one');
  const { takenTable, ...target } = await orFail(readRestoreTarget(database));
  if (takenTable !== null)
    throw new Error(`the target has a table ${takenTable} already; restore into an empty database`);
  return target;
};

/**
 * Restores a dump into an empty database, migrates it, and describes its contents. With `--check`, or if this version
 * can't use the restored tables, drops them.
 */
const restoreIntoPostgres = async (
  file: string,
  url: PostgresDatabaseUrl,
  { check = false, role }: Options,
  context: LongCommand,
): Promise<string> => {
  const { settings, terminal, signal, setRemains } = context;
  const onStage = stagesOf(context);
  const database = await openConfiguredPostgres(url, settings);
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
    const onRestored = (schema: string): void => {
      restoredSchema = schema;
      const grantText = `run \`psql --set=role=${role ?? 'ROLE'} --file=deploy/postgres/grants.sql\` on the target`;
      setRemains(
        () => `the animals are restored, without the rights of the service: ${grantText}, and ${migrateText}`,
      );
    };
    const options = { ...target, role, environment: terminal.env, signal, onStage, onRestored };
    await restorePostgres(url.connectionString, file, options);
    setRemains(() => `the animals are restored, but not migrated: ${migrateText}`);
    onStage('migrating');
    const migrated = await migrateExisting(database, { mayRaiseGeneration: true, signal })();
    if (E.isLeft(migrated)) {
      const { left: failure } = migrated;
      // A retry can't mend a backup that this version can't use.
      if (failure._tag === 'Unavailable' && failure.cause instanceof DiagnosedError) dropsAfterFailure = true;
      throw new CommandFailed(failure);
    }
    setRemains(() => 'the animals are restored and migrated, but were not counted');
    const result = check ? 'the backup can be restored' : 'restored and checked';
    const text = `${result}: ${await contentsText(database)}${migratedText(migrated.right)}`;
    if (check) await dropTables();
    return text;
  } catch (error) {
    // A failure to drop the tables must not hide the first error.
    if (dropsAfterFailure) await dropTables().catch(constVoid);
    throw error;
  } finally {
    await database.close();
  }
};

type SqliteOptions = Parameters<typeof restoreSqlite>[2];

/** Restores a backup of SQLite into a temporary folder, and returns a text about its contents. */
const tryRestore = (file: string, options: SqliteOptions): Promise<string> =>
  withTemporaryFolder(async (folder) => {
    const filename = join(folder, 'animals.sqlite3');
    const { migrated } = await restoreSqlite(file, filename, options);
    const database = openSqlite(filename);
    try {
      return `the backup can be restored: ${await contentsText(database)}${migratedText(migrated)}`;
    } finally {
      await database.close();
    }
  });

const restoreIntoSqlite = async (file: string, filename: string, options: SqliteOptions): Promise<string> => {
  const advice = fileAdvice(filename);
  if (advice !== undefined) throw new Error(`${filename} can't be replaced: ${advice}`);
  const { animals, kept, migrated } = await restoreSqlite(file, filename, options);
  const restored = `restored and checked: ${counted(animals, 'animal')}, with the API keys of the backup${migratedText(migrated)}`;
  return kept === undefined ? restored : `${restored}; the replaced database is ${kept}; delete it later`;
};

/** Ends the program with a usage error if an option is given that has no effect on this target. */
const refuseUnusedOptions = (
  command: Command,
  { check, into }: Options,
  { _tag: engine }: DatabaseUrl,
): void => {
  const isTrialOfSqlite = check === true && (into === undefined || engine === 'Sqlite');
  if (isTrialOfSqlite) refuseOptions(command, ['into'], 'PostgreSQL, or without --check');
  if (isTrialOfSqlite || engine === 'Sqlite') refuseOptions(command, ['role'], 'PostgreSQL');
  if (check === true || engine === 'Postgres') refuseOptions(command, ['replace'], 'SQLite, without --check');
};

const restore = async (file: string, options: Options, context: LongCommand): Promise<string> => {
  const { check = false, into, replace: mayReplace = false } = options;
  const { settings, terminal, signal } = context;
  const { DATABASE_URL: url } = settings;
  const sqliteOptions = { mayReplace, signal, onStage: stagesOf(context), onFaults: warningsOf(context) };
  if (check && into === undefined) return tryRestore(file, sqliteOptions);
  terminal.printMessage(databaseUrlText(url), 'database');
  switch (url._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase' });
    case 'Postgres':
      return restoreIntoPostgres(file, url, options, context);
    case 'Sqlite':
      return restoreIntoSqlite(file, url.filename, sqliteOptions);
  }
};

export const restoreCommand = (terminal: Terminal): Command =>
  new Command('restore')
    .summary('restore a backup')
    .description(
      'replace a SQLite database with a backup, or fill an empty database of PostgreSQL; stop the service first',
    )
    .argument('<file>', 'a file that `backup` wrote', fileName)
    .option(
      '--replace',
      'replace a SQLite database that is damaged or has animals; it is kept under a dated name',
    )
    .option(
      '--into <url>',
      'address of the database to restore into, by default DATABASE_URL; the variable PGPASSWORD hides its password from the list of processes',
      parseAddress,
    )
    .option('--role <role>', 'role of the service on PostgreSQL, which gets the rights of the service')
    .option(
      '--check',
      'try to restore a backup in a temporary folder, or of PostgreSQL in the empty database of --into, and print what it contains',
    )
    .action((file: string, options: Options, command: Command) =>
      runLongCommand(terminal, unchanged, async (context) => {
        const { into } = options;
        const settings = into === undefined ? context.settings : { ...context.settings, DATABASE_URL: into };
        refuseUnusedOptions(command, options, settings.DATABASE_URL);
        const run = (): Promise<string> =>
          requireDriver(() => restore(file, options, { ...context, settings }));
        return into === undefined ? run() : onTarget(into, '--into', run);
      }),
    );
