import { pipe } from 'fp-ts/function';
import type * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import { restoreSqlite } from '../../../adapters/knex';
import type { Settings } from '../../settings/settings';
import type { Interruption } from '../../terminal/interruptible';
import type { Terminal } from '../../terminal/terminal';
import { failedExportEnd, type TransferFailed } from '../export/export-end';
import type { BackupSummary } from './back-up';
import { sqliteFilename } from './sqlite-filename';
import { withCopyProgress } from './with-copy-progress';

interface RestoreOptions {
  readonly file: string;
  readonly mayReplace: boolean;
}

/** Puts a backup in the place of the database, which nobody may have open. */
export const restore = (
  { file, mayReplace }: RestoreOptions,
  settings: Settings,
  terminal: Terminal,
  { signal, by }: Interruption,
): T.Task<BackupSummary> =>
  pipe(
    TE.fromEither(sqliteFilename(settings)),
    TE.flatMap((database) =>
      TE.tryCatch(
        () =>
          withCopyProgress(terminal, signal, (options) =>
            restoreSqlite(file, database, { ...options, mayReplace }),
          ),
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
