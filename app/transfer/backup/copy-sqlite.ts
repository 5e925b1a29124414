import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import type { CopyOptions, CopyProgress } from '../../../adapters/knex';
import type { Settings } from '../../settings/settings';
import type { Interruption } from '../../terminal/interruptible';
import { startProgress } from '../../terminal/start-progress';
import type { Terminal } from '../../terminal/terminal';
import { attemptTransfer, type ExportEnd, exportEnd } from '../export/export-end';
import { sqliteFilename } from './sqlite-filename';

/** A copy that has ended, and how many animals are in it. */
export interface CopySummary {
  readonly end: ExportEnd;
  readonly animals: number;
}

const megabyte = 1_000_000;

/** Copies the database of the settings or to it, and shows how far that is while it goes on. */
export const copySqlite = (
  settings: Settings,
  terminal: Terminal,
  interruption: Interruption,
  copy: (database: string, options: CopyOptions) => Promise<number>,
): T.Task<CopySummary> => {
  let progress: CopyProgress = { copied: 0, total: 0 };
  let animals = 0;
  const { signal } = interruption;

  const copyAndShow = async (database: string): Promise<void> => {
    const shown = startProgress(terminal, {
      unit: 'MB',
      count: () => Math.round(progress.copied / megabyte),
      fraction: () => (progress.total === 0 ? undefined : progress.copied / progress.total),
    });
    try {
      animals = await copy(database, { signal, onProgress: (next) => (progress = next) });
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
