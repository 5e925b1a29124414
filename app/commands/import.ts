import { Command } from 'commander';
import * as E from 'fp-ts/Either';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { importAll, type NewPet, type PetRepository } from '../../core';
import { withDatabase } from '../backend/database';
import { reasonOf } from '../failures';
import type { Terminal } from '../terminal/terminal';
import { counted } from '../terminal/text';
import { openSource } from '../transfer/files';
import { type Format, formatOfFile, readRows } from '../transfer/formats';
import { showProgress } from '../transfer/progress';
import type { Row } from '../transfer/rows';
import { formatOption, missingFormat, nonEmpty, runInterruptible, type TransferContext } from './run';

type ImportEnd =
  | { readonly outcome: 'stored'; readonly stored: number }
  | { readonly outcome: 'checked' | 'invalid_rows'; readonly stored: 0 }
  | { readonly outcome: 'interrupted'; readonly stored: 0; readonly signal: NodeJS.Signals }
  | { readonly outcome: 'failed'; readonly stored: 0; readonly reason: string }
  | { readonly outcome: 'unconfirmed'; readonly stored: null; readonly reason: string };

type ImportSummary = ImportEnd & {
  readonly rows: number;
  readonly invalidRows: number;
  readonly seconds: number;
};

class InvalidRow extends Error {}

class Unconfirmed extends Error {}

const checkRemaining = async (rows: AsyncIterator<Row>): Promise<void> => {
  while ((await rows.next()).done !== true);
};

/**
 * Stores all valid rows in one transaction. Without `skipInvalid`, the first invalid row rolls the transaction back at
 * once, so that other writes can go on while the remaining rows are checked.
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
  if (E.isRight(imported)) return imported.right.count;
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
  const reason = reasonOf(error, settings.DATABASE_URL);
  if (error instanceof Unconfirmed) return { outcome: 'unconfirmed', stored: null, reason };
  const signal = receivedSignal();
  if (signal !== undefined) return { outcome: 'interrupted', stored: 0, signal };
  if (error instanceof InvalidRow) return { outcome: 'invalid_rows', stored: 0 };
  return { outcome: 'failed', stored: 0, reason };
};

interface Options {
  readonly format?: Format;
  readonly skipInvalid?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const importFile = async (
  file: string,
  format: Format,
  { skipInvalid = false, dryRun = false }: Options,
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

const wereStored = (count: number): string =>
  `${counted(count, 'animal')} ${count === 1 ? 'was' : 'were'} stored`;

const summaryText = (summary: ImportSummary): string => {
  const { rows, invalidRows, seconds } = summary;
  const skipped = invalidRows === 0 ? '' : `, ${counted(invalidRows, 'invalid row')} skipped`;
  switch (summary.outcome) {
    case 'stored':
      return `${wereStored(summary.stored)}${skipped}, in ${seconds} s`;
    case 'checked':
      return `dry run: ${rows - invalidRows} of ${counted(rows, 'row')} would be stored${skipped}; nothing was stored`;
    case 'invalid_rows':
      return `nothing was stored: ${invalidRows} of ${counted(rows, 'row')} ${invalidRows === 1 ? 'is' : 'are'} invalid`;
    case 'interrupted':
      return `interrupted by ${summary.signal}: nothing was stored`;
    case 'failed':
      return `nothing was stored: ${summary.reason}`;
    case 'unconfirmed':
      return `the database did not confirm the commit (${summary.reason}): either ${wereStored(rows - invalidRows)} or none; check with \`animal-store export\` before you import again`;
  }
};

const exitCodeOf = (summary: ImportSummary): number | NodeJS.Signals => {
  if (summary.outcome === 'interrupted') return summary.signal;
  return summary.outcome === 'stored' || summary.outcome === 'checked' ? 0 : 1;
};

/** Makes the command `import`, which command-line.ts adds to the program. */
export const importCommand = (terminal: Terminal): Command =>
  new Command('import')
    .description('add the animals of a file, with new ids; if a row is invalid, add none')
    .argument('<file>', 'CSV or NDJSON file, or - for standard input', nonEmpty)
    .addOption(formatOption())
    .option('--skip-invalid', 'skip invalid rows and import the others')
    .option('--dry-run', 'check every row and import nothing')
    .option('--json', 'print the summary as JSON')
    .action(async (file: string, options: Options, command: Command) => {
      const { format = formatOfFile(file), json = false } = options;
      if (format === undefined) return command.error(missingFormat);
      await runInterruptible(terminal, async (context) => {
        const summary = await importFile(file, format, options, context);
        terminal.printError(summaryText(summary));
        if (json) terminal.print(json, summary, '');
        terminal.fail(exitCodeOf(summary));
      });
    });
