import * as E from 'fp-ts/Either';
import { type Pet, type PetStatus, walkPages } from '../../core';
import { withDatabase } from '../backend/database';
import { showProgress, type TransferContext } from './context';
import { writeFile, writeStandardOutput } from './files';
import { type Format, writeRows } from './formats';

interface ExportOptions {
  readonly file: string;
  readonly format: Format;
  readonly status: PetStatus | undefined;
  /** Updated while the export runs, so that the caller knows the number of animals after a failure. */
  readonly progress: { animals: number };
}

export const exportFile = (
  { file, format, status, progress }: ExportOptions,
  { settings, terminal, signal }: TransferContext,
): Promise<void> => {
  const { printError, stdout } = terminal;
  const { DATABASE_URL: address } = settings;
  const databaseFile = address._tag === 'Sqlite' ? address.filename : undefined;

  return withDatabase(settings, { printError, signal }, async ({ pets }) => {
    async function* allPages(): AsyncGenerator<ReadonlyArray<Pet>> {
      for await (const page of walkPages(pets.list, { status })) {
        if (E.isLeft(page)) throw page.left.cause;
        progress.animals += page.right.pets.length;
        yield page.right.pets;
      }
    }
    const texts = writeRows(format, allPages());
    const isOnScreen = file === '-' && stdout.isTTY === true;
    const hideProgress = isOnScreen ? undefined : showProgress(terminal, { count: () => progress.animals });
    try {
      await (file === '-'
        ? writeStandardOutput(stdout, texts, signal)
        : writeFile(file, databaseFile, texts, signal));
    } finally {
      hideProgress?.();
    }
  });
};
