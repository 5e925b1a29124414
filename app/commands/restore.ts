import { Command } from 'commander';
import { join } from 'node:path';
import { openSqlite, type OpenedDatabase, restoreSqlite, summarizeContents } from '../../adapters/knex';
import { CommandFailed, orFail } from '../failures';
import { fileAdvice } from '../failures/file-advice';
import { type DatabaseUrl, databaseUrlText, type PostgresDatabaseUrl } from '../settings/database-url';
import { requireDriver, openConfiguredPostgres } from '../store/database';
import type { Terminal } from '../terminal/terminal';
import { counted } from '../terminal/text';
import { restorePostgres, unchanged } from '../transfer/postgres-backup';
import { withTemporaryFolder } from '../transfer/files';
import { fileName, parseAddress, refuseOptions } from './arguments';
import { type LongCommand, onTarget, runLongCommand } from './run-long-command';

interface Options {
  readonly replace?: boolean;
  readonly into?: DatabaseUrl;
  readonly role?: string;
  readonly check?: boolean;
}

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
  const { DATABASE_URL: url } = context.settings;
  if (check && into === undefined) return tryRestore(file, context);
  context.terminal.printMessage(databaseUrlText(url), 'database');
  switch (url._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase' });
    case 'Postgres':
      return restoreIntoPostgres(file, url, options, context);
    case 'Sqlite':
      return restoreIntoSqlite(file, url.filename, mayReplace, context);
  }
};

/** Restores a backup of SQLite into a temporary folder, and returns a text about its contents. */
const tryRestore = (file: string, context: LongCommand): Promise<string> =>
  withTemporaryFolder(async (folder) => {
    const filename = join(folder, 'animals.sqlite3');
    const { migrated } = await restoreSqlite(file, filename, { ...context, mayReplace: false });
    const database = openSqlite(filename);
    try {
      return `the backup can be restored: ${await contentsText(database)}${migratedText(migrated)}`;
    } finally {
      await database.close();
    }
  });

const restoreIntoPostgres = async (
  file: string,
  url: PostgresDatabaseUrl,
  { check = false, role }: Options,
  context: LongCommand,
): Promise<string> => {
  const database = await openConfiguredPostgres(url, context.settings);
  try {
    const options = { ...context, check, role, environment: context.terminal.env };
    return await restorePostgres(file, url.connectionString, database, options, async (migrated) => {
      const result = check ? 'the backup can be restored' : 'restored and checked';
      return `${result}: ${await contentsText(database)}${migratedText(migrated)}`;
    });
  } finally {
    await database.close();
  }
};

const restoreIntoSqlite = async (
  file: string,
  filename: string,
  mayReplace: boolean,
  context: LongCommand,
): Promise<string> => {
  const advice = fileAdvice(filename);
  if (advice !== undefined) throw new Error(`${filename} can't be replaced: ${advice}`);
  const { animals, kept, migrated } = await restoreSqlite(file, filename, { ...context, mayReplace });
  const restored = `restored and checked: ${counted(animals, 'animal')}, with the API keys of the backup${migratedText(migrated)}`;
  return kept === undefined ? restored : `${restored}; the replaced database is ${kept}; delete it later`;
};

const contentsText = async (database: OpenedDatabase): Promise<string> => {
  const { animals, lastId, newestAt, lastUsedAt } = await orFail(summarizeContents(database));
  const newest = newestAt === null ? '' : `the newest was created at ${newestAt}, `;
  const use = lastUsedAt === null ? 'no key was used' : `a key was last used within an hour of ${lastUsedAt}`;
  return `${counted(animals, 'animal')}, ${newest}the last id is ${lastId}, ${use}`;
};

const migratedText = (migrated: ReadonlyArray<string>): string =>
  migrated.length === 0
    ? ''
    : `; the backup is of an earlier version, so its copy was migrated: ${migrated.join(', ')}`;
