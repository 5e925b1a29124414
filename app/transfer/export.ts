import * as E from 'fp-ts/Either';
import { knexPetRepository } from '../../adapters/knex';
import { type Pet, type PetRepository, type PetStatus, walkPages } from '../../core';
import { withDatabase } from '../backend/database';
import { writeFile, writeStandardOutput } from './files';
import { type Format, writeRows } from './formats';
import { showProgress } from '../terminal/terminal';
import type { TransferContext } from './context';

export async function* allPages(
  list: PetRepository['list'],
  status?: PetStatus,
): AsyncGenerator<ReadonlyArray<Pet>> {
  for await (const page of walkPages(list, { status })) {
    if (E.isLeft(page)) throw page.left.cause;
    yield page.right.pets;
  }
}

interface ExportOptions {
  readonly file: string;
  readonly format: Format;
  readonly status: PetStatus | undefined;
  readonly onPage: (pets: ReadonlyArray<Pet>) => void;
}

export const exportFile = (
  { file, format, status, onPage }: ExportOptions,
  { settings, terminal, interruption: { signal } }: TransferContext,
): Promise<void> => {
  const { printError, stdout } = terminal;
  const { DATABASE_URL: address } = settings;
  const databaseFile = address._tag === 'Sqlite' ? address.filename : undefined;

  return withDatabase(settings, { printError, interruption: signal }, async (database) => {
    let count = 0;
    async function* pages(): AsyncGenerator<ReadonlyArray<Pet>> {
      for await (const pets of allPages(knexPetRepository(database).list, status)) {
        count += pets.length;
        onPage(pets);
        yield pets;
      }
    }
    const texts = writeRows(format, pages());
    const isOnScreen = file === '-' && stdout.isTTY === true;
    const hideProgress = isOnScreen ? undefined : showProgress(terminal, { count: () => count });
    try {
      await (file === '-'
        ? writeStandardOutput(stdout, texts, signal)
        : writeFile(file, databaseFile, texts, signal));
    } finally {
      hideProgress?.();
    }
  });
};
