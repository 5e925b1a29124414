import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import type { ListPets, Pet, PetStatus } from '../../../core';
import { asOperator } from '../../backend/as-operator';
import { refuseMissingFile } from '../../backend/refuse-missing-file';
import { startProgress } from '../../terminal/start-progress';
import type { Format } from '../rows/format';
import { writeRows } from '../rows/write-rows';
import type { TransferContext } from '../transfer-context';
import { allPages } from './all-pages';
import { attemptTransfer, exportEnd } from './export-end';
import { writeFile } from './write-file';
import { writeStandardOutput } from './write-standard-output';

interface ExportOptions {
  /** A path, or `-` for standard output. */
  readonly file: string;
  readonly format: Format;
  readonly status: PetStatus | undefined;
}

/**
 * Exports all animals, or those of one status, by ascending id. Answers with how it ended, and how many animals it has
 * written, or had begun to write.
 */
export const exportFile = (
  { file, format, status }: ExportOptions,
  { settings, terminal, interruption }: TransferContext,
) => {
  let written = 0;
  const isOnScreen = file === '-' && terminal.stdout.isTTY === true;
  const { DATABASE_URL: address } = settings;
  const database = address._tag === 'Sqlite' ? address.filename : undefined;
  const write = file === '-' ? writeStandardOutput(terminal.stdout) : writeFile(file, database);

  async function* counted(pages: AsyncIterable<ReadonlyArray<Pet>>): AsyncGenerator<ReadonlyArray<Pet>> {
    for await (const pets of pages) {
      written += pets.length;
      yield pets;
    }
  }

  const writeAll = async (listPets: ListPets): Promise<void> => {
    const progress = isOnScreen ? undefined : startProgress(terminal, { count: () => written });
    try {
      await write(writeRows(format, counted(allPages(listPets, status))), interruption.signal);
    } finally {
      progress?.stop();
    }
  };

  return pipe(
    TE.fromEither(refuseMissingFile(settings)),
    TE.flatMap(
      asOperator({ onProgress: terminal.say, interruption: interruption.signal }, ({ listPets }) =>
        attemptTransfer(() => writeAll(listPets)),
      ),
    ),
    exportEnd(interruption, settings),
    T.map((end) => ({ end, written })),
  );
};
