import { constUndefined } from 'fp-ts/function';
import {
  migrate,
  migrateExisting,
  type MigrateOptions,
  type OpenedDatabase,
  readUsableSchema,
  type SchemaState,
} from '../../../adapters/knex';
import { statsOf } from '../../../adapters/files/paths';
import { orFail } from '../../failures';
import { fileAdvice } from '../../failures/file-advice';
import type { Settings } from '../../settings/settings';
import type { PrintMessage } from '../../terminal/terminal';
import { openConfigured } from '../database';

/** Program that opens the database. `doctor` migrates nothing and creates no file. */
export type Purpose = 'serve' | 'doctor' | 'write' | 'read';

export interface StartMessages {
  readonly printMessage: PrintMessage;
  /** Prints that migrations wait or run, by default with `printMessage`. */
  readonly printMigration?: (text: string) => void;
}

export interface StartOptions extends StartMessages, Pick<MigrateOptions, 'mayRaiseGeneration' | 'signal'> {
  /** True to create missing tables. By default, a start fails with NotInitialized if they are missing. */
  readonly mayCreate?: boolean;
}

/** Start of a program on the database of the settings. Each function works once, and then returns the same result. */
export interface Start {
  readonly settings: Settings;
  readonly purpose: Purpose;
  readonly mayCreate: boolean;
  /** True if the SQLite file does not exist, and this process could create it. */
  readonly isNewFile: boolean;
  /** False for `memory:`, and for `doctor` if no start has created the file. */
  readonly hasDatabase: boolean;
  /** Opens the database. Throws NoDatabase for `memory:`, and DriverMissing without the driver. */
  readonly open: () => Promise<OpenedDatabase>;
  /** Runs the pending migrations, and returns their names. Throws CommandFailed. */
  readonly migrate: () => Promise<ReadonlyArray<string>>;
  /** Reads the state of the tables. Throws CommandFailed if this version can't work with them. */
  readonly readSchema: () => Promise<SchemaState>;
  readonly close: () => Promise<void>;
}

export const prepareStart = (
  settings: Settings,
  purpose: Purpose,
  { mayCreate = false, printMessage, printMigration = printMessage, ...migration }: StartOptions,
): Start => {
  const { DATABASE_URL: url } = settings;
  const isNewFile =
    url._tag === 'Sqlite' && isMissing(url.filename) && fileAdvice(url.filename) === undefined;
  let opened: Promise<OpenedDatabase> | undefined;
  const open = () => (opened ??= openConfigured(settings));
  return {
    settings,
    purpose,
    mayCreate,
    isNewFile,
    hasDatabase: url._tag !== 'Memory' && !(purpose === 'doctor' && isNewFile),
    open,
    migrate: once(async () => {
      const run = mayCreate ? migrate : migrateExisting;
      return orFail(run(await open(), { ...migration, onProgress: printMigration }));
    }),
    readSchema: once(async () => orFail(readUsableSchema(await open()))),
    close: async () => (await opened?.catch(constUndefined))?.close(),
  };
};

const once = <A>(work: () => Promise<A>): (() => Promise<A>) => {
  let result: Promise<A> | undefined;
  return () => (result ??= work());
};

/** Reports whether a database file is missing or empty. */
export const isMissing = (filename: string): boolean => (statsOf(filename)?.size ?? 0) === 0;
