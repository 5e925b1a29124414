import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pipe } from 'fp-ts/function';
import type * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import { backupSqlite } from '../../../adapters/knex';
import { databaseOf } from '../../backend/database-of';
import type { Settings } from '../../settings/settings';
import type { Interruption } from '../../terminal/interruptible';
import type { Terminal } from '../../terminal/terminal';
import { type ExportEnd, failedExportEnd, type TransferFailed } from '../export/export-end';
import { resolveFreeTarget } from '../export/resolve-target';
import { writeStandardOutput } from '../export/write-standard-output';
import { sqliteFilename } from './sqlite-filename';
import { withCopyProgress } from './with-copy-progress';

/** An ended backup, and how many animals are in it. */
export interface BackupSummary {
  readonly end: ExportEnd;
  readonly animals: number;
}

/** A stream can't be checked and taken back: the copy is made beside the database first. */
const writeOut = async (
  database: string,
  { stdout }: Terminal,
  signal: AbortSignal,
  copy: (file: string) => Promise<number>,
): Promise<number> => {
  const folder = mkdtempSync(join(dirname(resolve(database)), '.backup-'));
  try {
    const file = join(folder, 'backup.sqlite3');
    const animals = await copy(file);
    await writeStandardOutput(stdout)(createReadStream(file), signal);
    return animals;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Copies the database to a file, or for `-` to standard output, while whoever uses it goes on. */
export const backUp = (
  file: string,
  settings: Settings,
  terminal: Terminal,
  { signal, by }: Interruption,
): T.Task<BackupSummary> => {
  const copyTo =
    (database: string) =>
    (path: string): Promise<number> =>
      withCopyProgress(terminal, signal, (options) => backupSqlite(database, path, options));

  const run = async (database: string): Promise<number> => {
    if (file === '-') return writeOut(database, terminal, signal, copyTo(database));
    const { path } = await resolveFreeTarget(file, databaseOf(settings)?.files ?? []);
    return copyTo(database)(path);
  };

  return pipe(
    TE.fromEither(sqliteFilename(settings)),
    TE.flatMap((database) =>
      TE.tryCatch(
        () => run(database),
        (cause): TransferFailed => ({ _tag: 'TransferFailed', cause }),
      ),
    ),
    TE.match(
      (failure): BackupSummary => ({
        end: failedExportEnd(failure, by(), settings.DATABASE_URL),
        animals: 0,
      }),
      (animals): BackupSummary => ({ end: { outcome: 'exported' }, animals }),
    ),
  );
};
