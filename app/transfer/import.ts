import * as E from 'fp-ts/Either';
import { knexPetRepository } from '../../adapters/knex';
import { importAll, type NewPet, type PetRepository } from '../../core';
import { withDatabase } from '../backend/database';
import { showProgress } from '../terminal/progress';
import { waitForDrain } from '../terminal/streams';
import { type Format, readRows } from './formats';
import {
  failedImportEnd,
  type ImportEnd,
  type ImportSummary,
  Unconfirmed,
  WrongRows,
} from './import-summary';
import type { Row } from './rows';
import { openSource } from './source';
import type { TransferContext } from './transfer';

const checkRemaining = async (rows: AsyncIterator<Row>): Promise<void> => {
  while ((await rows.next()).done !== true);
};

/**
 * Stores all valid rows in one transaction. Without `skipInvalid` the first wrong row rolls it back, so that other
 * writes need not wait; the remaining rows are only checked.
 */
export const importRows = async (
  rows: AsyncIterator<Row>,
  pets: PetRepository,
  skipInvalid: boolean,
): Promise<number> => {
  let wrongRow: WrongRows | undefined;

  async function* validRows(): AsyncGenerator<NewPet> {
    for (let next = await rows.next(); next.done !== true; next = await rows.next()) {
      const { newPet } = next.value;
      if (E.isRight(newPet)) yield newPet.right;
      else if (!skipInvalid) throw (wrongRow = new WrongRows(newPet.left));
    }
  }

  const imported = await importAll(pets, validRows())();
  if (E.isRight(imported)) return imported.right;
  if (wrongRow !== undefined) {
    await checkRemaining(rows);
    throw wrongRow;
  }
  const { _tag, cause } = imported.left;
  throw _tag === 'Unavailable' ? new Unconfirmed(E.toError(cause).message) : cause;
};

interface ImportOptions {
  readonly file: string;
  readonly format: Format;
  readonly skipInvalid: boolean;
  /** Checks every row without opening a database. */
  readonly dryRun: boolean;
}

/** Imports a file, or standard input for `-`. Never rejects. */
export const importFile = async (
  { file, format, skipInvalid, dryRun }: ImportOptions,
  { settings, terminal, interruption }: TransferContext,
): Promise<ImportSummary> => {
  const began = performance.now();
  const { printError } = terminal;
  let count = 0;
  let wrong = 0;

  async function* reported(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    for await (const row of rows) {
      count += 1;
      if (E.isLeft(row.newPet)) {
        wrong += 1;
        printError(`line ${row.line}: ${row.newPet.left}`);
      }
      await waitForDrain(terminal.stderr, interruption.signal);
      yield row;
    }
  }

  const check = async (rows: AsyncIterator<Row>): Promise<ImportEnd> => {
    await checkRemaining(rows);
    return wrong === 0 || skipInvalid
      ? { outcome: 'checked', stored: 0 }
      : { outcome: 'wrong_rows', stored: 0 };
  };

  const store = (rows: AsyncIterator<Row>): Promise<ImportEnd> =>
    withDatabase(settings, { printError, interruption: interruption.signal }, async (database) => {
      const stored = await importRows(rows, knexPetRepository(database), skipInvalid);
      return { outcome: 'stored', stored };
    });

  const importAndClose = async (): Promise<ImportEnd> => {
    const source = await openSource(file, interruption.signal);
    const hideProgress = showProgress(terminal, { count: () => count, fraction: source.fraction });
    try {
      const rows = reported(readRows(format, source.chunks));
      return await (dryRun ? check(rows) : store(rows));
    } finally {
      hideProgress();
      source.close();
    }
  };

  const end = await importAndClose().catch((error: unknown) =>
    failedImportEnd(error, interruption, settings.DATABASE_URL),
  );
  return { ...end, rows: count, wrong, seconds: Math.round(performance.now() - began) / 1_000 };
};
