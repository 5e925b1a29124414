import * as E from 'fp-ts/Either';
import { knexPetRepository } from '../../adapters/knex';
import { type Pet, type PetRepository, type PetStatus, walkPages } from '../../core';
import { withDatabase } from '../backend/database';
import { showProgress } from '../terminal/progress';
import { type Format, writeRows } from './formats';
import { writeFile, writeStandardOutput } from './output';
import { runToEnd, type TransferContext } from './transfer';

/** Yields pages by ascending id. Throws if the store can't answer. */
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
}

/** Returns the end, and the number of animals that were written, the last ones perhaps only in part. */
export const exportFile = async ({ file, format, status }: ExportOptions, context: TransferContext) => {
  const { settings, terminal, interruption } = context;
  const { printError, stdout } = terminal;
  const { DATABASE_URL: address } = settings;
  const database = address._tag === 'Sqlite' ? address.filename : undefined;
  let written = 0;

  async function* counted(pages: AsyncIterable<ReadonlyArray<Pet>>): AsyncGenerator<ReadonlyArray<Pet>> {
    for await (const pets of pages) {
      written += pets.length;
      yield pets;
    }
  }

  const write = (texts: AsyncIterable<string>): Promise<void> =>
    file === '-'
      ? writeStandardOutput(stdout, texts, interruption.signal)
      : writeFile(file, database, texts, interruption.signal);

  const end = await runToEnd(context, () =>
    withDatabase(settings, { printError, interruption: interruption.signal }, async (opened) => {
      const isOnScreen = file === '-' && stdout.isTTY === true;
      const hideProgress = isOnScreen ? undefined : showProgress(terminal, { count: () => written });
      try {
        await write(writeRows(format, counted(allPages(knexPetRepository(opened).list, status))));
      } finally {
        hideProgress?.();
      }
    }),
  );
  return { end, written };
};
