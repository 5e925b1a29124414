import * as E from 'fp-ts/Either';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { importAll, type NewPet, type PetRepository } from '../../core';
import { withDatabase } from '../backend/database';
import { reasonOf } from '../failures';
import { showProgress, type TransferContext } from './context';
import { openSource } from './files';
import { type Format, readRows } from './formats';
import type { Row } from './rows';

type ImportEnd =
  | { readonly outcome: 'stored'; readonly stored: number }
  | { readonly outcome: 'checked' | 'invalid_rows'; readonly stored: 0 }
  | { readonly outcome: 'interrupted'; readonly stored: 0; readonly signal: NodeJS.Signals }
  | { readonly outcome: 'failed'; readonly stored: 0; readonly reason: string }
  | { readonly outcome: 'unconfirmed'; readonly stored: null; readonly reason: string };

export type ImportSummary = ImportEnd & {
  readonly rows: number;
  readonly invalidRows: number;
  readonly seconds: number;
};

class InvalidRow extends Error {}

/** The store did not confirm the commit: either all animals are stored, or none. */
class Unconfirmed extends Error {}

const checkRemaining = async (rows: AsyncIterator<Row>): Promise<void> => {
  while ((await rows.next()).done !== true);
};

/**
 * Stores all valid rows in one transaction. Without `skipInvalid`, the first invalid row rolls it back at once, because
 * other writes wait for it. The remaining rows are then only checked.
 */
export const importRows = async (
  rows: AsyncIterator<Row>,
  pets: PetRepository,
  skipInvalid: boolean,
): Promise<number> => {
  let invalidRow: InvalidRow | undefined;

  async function* validRows(): AsyncGenerator<NewPet> {
    for (let next = await rows.next(); next.done !== true; next = await rows.next()) {
      const { newPet } = next.value;
      if (E.isRight(newPet)) yield newPet.right;
      else if (!skipInvalid) throw (invalidRow = new InvalidRow(newPet.left));
    }
  }

  const imported = await importAll(pets, validRows())();
  if (E.isRight(imported)) return imported.right;
  if (invalidRow !== undefined) {
    await checkRemaining(rows);
    throw invalidRow;
  }
  const { _tag, cause } = imported.left;
  throw _tag === 'Unavailable' ? new Unconfirmed(E.toError(cause).message) : cause;
};

const maxBufferedBytes = 4_194_304;

const waitForDrain = async (output: Writable, signal: AbortSignal): Promise<void> => {
  if (!output.writableNeedDrain || output.writableLength < maxBufferedBytes) return;
  await once(output, 'drain', { signal }).catch(() => {
    signal.throwIfAborted();
  });
};

const failedEnd = (error: unknown, { settings, receivedSignal }: TransferContext): ImportEnd => {
  if (error instanceof Unconfirmed) return { outcome: 'unconfirmed', stored: null, reason: error.message };
  const signal = receivedSignal();
  if (signal !== undefined) return { outcome: 'interrupted', stored: 0, signal };
  if (error instanceof InvalidRow) return { outcome: 'invalid_rows', stored: 0 };
  return { outcome: 'failed', stored: 0, reason: reasonOf(error, settings.DATABASE_URL) };
};

interface ImportOptions {
  readonly file: string;
  readonly format: Format;
  readonly skipInvalid: boolean;
  readonly dryRun: boolean;
}

export const importFile = async (
  { file, format, skipInvalid, dryRun }: ImportOptions,
  context: TransferContext,
): Promise<ImportSummary> => {
  const began = performance.now();
  const { settings, terminal, signal } = context;
  const { printError } = terminal;
  let count = 0;
  let invalidRows = 0;

  async function* reported(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    for await (const row of rows) {
      count += 1;
      if (E.isLeft(row.newPet)) {
        invalidRows += 1;
        printError(`line ${row.line}: ${row.newPet.left}`);
      }
      await waitForDrain(terminal.stderr, signal);
      yield row;
    }
  }

  const check = async (rows: AsyncIterator<Row>): Promise<ImportEnd> => {
    await checkRemaining(rows);
    const isAccepted = invalidRows === 0 || skipInvalid;
    return { outcome: isAccepted ? 'checked' : 'invalid_rows', stored: 0 };
  };

  const store = (rows: AsyncIterator<Row>): Promise<ImportEnd> =>
    withDatabase(settings, { printError, signal }, async ({ pets }) => ({
      outcome: 'stored',
      stored: await importRows(rows, pets, skipInvalid),
    }));

  const run = async (): Promise<ImportEnd> => {
    const source = await openSource(file, signal);
    const hideProgress = showProgress(terminal, {
      unit: 'rows',
      count: () => count,
      fraction: source.fraction,
    });
    try {
      const rows = reported(readRows(format, source.chunks));
      return await (dryRun ? check(rows) : store(rows));
    } finally {
      hideProgress();
      source.close();
    }
  };

  const end = await run().catch((error: unknown) => failedEnd(error, context));
  const seconds = Math.round(performance.now() - began) / 1_000;
  return { ...end, rows: count, invalidRows, seconds };
};
