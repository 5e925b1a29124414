import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import type { ListPets, Pet, PetStatus } from '../../../core';
import type { Interruption } from '../../terminal/interruptible';
import type { Terminal } from '../../terminal/terminal';
import { databaseOf } from '../../backend/database-of';
import { openAsOperator } from '../../backend/open-as-operator';
import type { Settings } from '../../settings/settings';
import { startProgress } from '../../terminal/start-progress';
import { withDatabase } from '../../backend/with-database';
import { allPages } from './all-pages';
import { type ExportEnd, failedExportEnd, type TransferFailed } from './export-end';
import type { Format } from '../rows/format';
import { writeFile } from './write-file';
import { writeRows } from '../rows/write-rows';
import { writeStandardOutput } from './write-standard-output';

interface ExportOptions {
  /** A path, or `-` for standard output. */
  readonly file: string;
  readonly format: Format;
  readonly status: PetStatus | undefined;
}

/** An ended export, and how many animals it has written, or had begun to write. */
export interface ExportSummary {
  readonly end: ExportEnd;
  readonly written: number;
}

interface Tally {
  written: number;
}

async function* tallied(
  pages: AsyncIterable<ReadonlyArray<Pet>>,
  tally: Tally,
): AsyncGenerator<ReadonlyArray<Pet>> {
  for await (const pets of pages) {
    tally.written += pets.length;
    yield pets;
  }
}

/** Exports all animals, or those of one status, by ascending id. */
export const exportFile = (
  { file, format, status }: ExportOptions,
  settings: Settings,
  terminal: Terminal,
  { signal, by }: Interruption,
): T.Task<ExportSummary> => {
  const tally: Tally = { written: 0 };
  const write =
    file === '-' ? writeStandardOutput(terminal.stdout) : writeFile(file, databaseOf(settings)?.files ?? []);

  const writeAll = async (listPets: ListPets): Promise<void> => {
    const isOnScreen = file === '-' && terminal.stdout.isTTY;
    const progress = isOnScreen
      ? undefined
      : startProgress(terminal, { count: () => tally.written, fraction: () => undefined });
    try {
      await write(writeRows(format, tallied(allPages(listPets, status), tally)), signal);
    } finally {
      progress?.stop();
    }
  };

  return pipe(
    settings,
    withDatabase((database) =>
      pipe(
        openAsOperator(database, terminal.say),
        TE.flatMap(({ listPets }) =>
          TE.tryCatch(
            () => writeAll(listPets),
            (cause): TransferFailed => ({ _tag: 'TransferFailed', cause }),
          ),
        ),
      ),
    ),
    TE.match(
      (failure) => failedExportEnd(failure, by(), settings.DATABASE_URL),
      (): ExportEnd => ({ outcome: 'exported' }),
    ),
    T.map((end) => ({ end, written: tally.written })),
  );
};
