import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import type { CopyOptions, CopyProgress } from '../../../adapters/knex';
import { startProgress } from '../../terminal/start-progress';
import { attemptTransfer, exportEnd } from '../export/export-end';
import type { TransferContext } from '../transfer-context';
import { sqliteFilename } from './sqlite-filename';

const megabyte = 1_000_000;

/**
 * Copies the database of the settings, or to it, and shows how far that is while it goes on. Answers with how it ended,
 * and how many animals are in the copy.
 */
export const copySqlite = (
  { settings, terminal, interruption }: TransferContext,
  copy: (database: string, options: CopyOptions) => Promise<number>,
) => {
  let progress: CopyProgress = { copied: 0, total: 0 };
  let animals = 0;

  const copyAndShow = async (database: string): Promise<void> => {
    const shown = startProgress(terminal, {
      unit: 'MB',
      count: () => Math.round(progress.copied / megabyte),
      fraction: () => (progress.total === 0 ? undefined : progress.copied / progress.total),
    });
    try {
      animals = await copy(database, {
        signal: interruption.signal,
        onProgress: (next) => (progress = next),
      });
    } finally {
      shown.stop();
    }
  };

  return pipe(
    TE.fromEither(sqliteFilename(settings)),
    TE.flatMap((database) => attemptTransfer(() => copyAndShow(database))),
    exportEnd(interruption, settings),
    T.map((end) => ({ end, animals })),
  );
};
