import { Command } from 'commander';
import * as E from 'fp-ts/Either';
import { importAll, type ImportedPets, type NewPet, type PetRepository } from '../../core';
import { withDatabase } from '../backend/database';
import type { Terminal } from '../terminal/terminal';
import { counted } from '../terminal/text';
import { openSource } from '../transfer/files';
import { type Format, formatOfFile, readRows } from '../transfer/formats';
import { showProgress } from '../transfer/progress';
import type { Row } from '../transfer/rows';
import { formatOption, missingFormat, nonEmpty, runTransfer, type TransferContext } from './run';

interface Options {
  readonly format?: Format;
  readonly skipInvalid?: boolean;
  readonly dryRun?: boolean;
  readonly escapeFormulas?: boolean;
  readonly json?: boolean;
}

interface Progress {
  rows: number;
  invalidRows: number;
  /** True if the database has not confirmed the commit. */
  isUnconfirmed: boolean;
}

class InvalidRow extends Error {}

class Unconfirmed extends Error {}

const skipAll = async (rows: AsyncIterator<Row>): Promise<void> => {
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
): Promise<ImportedPets> => {
  async function* validRows(): AsyncGenerator<NewPet> {
    for (let next = await rows.next(); next.done !== true; next = await rows.next()) {
      const { newPet } = next.value;
      if (E.isRight(newPet)) yield newPet.right;
      else if (!skipInvalid) throw new InvalidRow(newPet.left);
    }
  }
  const imported = await importAll(pets, validRows())();
  if (E.isRight(imported)) return imported.right;
  const { _tag, cause } = imported.left;
  if (cause instanceof InvalidRow) await skipAll(rows);
  throw _tag === 'Unavailable' ? new Unconfirmed(E.toError(cause).message) : cause;
};

const importFile = async (
  file: string,
  format: Format,
  { skipInvalid = false, dryRun = false, escapeFormulas = false }: Options,
  progress: Progress,
  { settings, terminal, signal }: TransferContext,
): Promise<ImportedPets | undefined> => {
  async function* reported(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    for await (const row of rows) {
      progress.rows += 1;
      if (E.isLeft(row.newPet)) {
        progress.invalidRows += 1;
        terminal.printError(`line ${row.line}: ${row.newPet.left}`);
      }
      yield row;
    }
  }
  terminal.printError('the animals get new ids; `animal-store copy` keeps ids');
  const source = await openSource(file, signal);
  const { fraction } = source;
  const hideProgress = showProgress(terminal, { unit: 'rows', count: () => progress.rows, fraction });
  try {
    const rows = reported(readRows(format, source.chunks, { escapeFormulas }));
    if (!dryRun) {
      const { printError } = terminal;
      return await withDatabase(settings, { printError, signal }, ({ pets }) =>
        importRows(rows, pets, skipInvalid),
      );
    }
    await skipAll(rows);
    if (progress.invalidRows > 0 && !skipInvalid) throw new InvalidRow();
    return undefined;
  } catch (error) {
    progress.isUnconfirmed = error instanceof Unconfirmed;
    if (!(error instanceof InvalidRow)) throw error;
    const { rows, invalidRows } = progress;
    const are = invalidRows === 1 ? 'is' : 'are';
    throw new Error(`${invalidRows} of ${counted(rows, 'row')} ${are} invalid`, { cause: error });
  } finally {
    hideProgress();
    source.close();
  }
};

const wereStored = (count: number): string =>
  `${counted(count, 'animal')} ${count === 1 ? 'was' : 'were'} stored`;

const idsText = ({ firstId, lastId }: ImportedPets): string =>
  firstId === undefined || lastId === undefined ? '' : ` with new ids from ${firstId} to ${lastId}`;

/** Makes the command `import`, which command-line.ts adds to the program. */
export const importCommand = (terminal: Terminal): Command =>
  new Command('import')
    .description('add the animals of a file, with new ids; if a row is invalid, add none')
    .argument('<file>', 'CSV or NDJSON file, or - for standard input', nonEmpty)
    .addOption(formatOption())
    .option('--skip-invalid', 'skip invalid rows and import the others')
    .option('--dry-run', 'check every row and import nothing')
    .option('--escape-formulas', 'in CSV, remove the quotes that `export --escape-formulas` has added')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: Options, command: Command) => {
      const { format = formatOfFile(file), json = false } = options;
      if (format === undefined) return command.error(missingFormat);
      const progress: Progress = { rows: 0, invalidRows: 0, isUnconfirmed: false };
      const validRows = (): number => progress.rows - progress.invalidRows;

      const run = async (context: TransferContext): Promise<string> => {
        const began = performance.now();
        const imported = await importFile(file, format, options, progress, context);
        const seconds = Math.round(performance.now() - began) / 1_000;
        const { rows, invalidRows } = progress;
        if (json) {
          const { count: stored, firstId, lastId } = imported ?? { count: 0 };
          const ids = { firstId: firstId?.toString(), lastId: lastId?.toString() };
          terminal.print(json, { stored, ...ids, rows, invalidRows, seconds }, '');
        }
        const skipped = invalidRows === 0 ? '' : `, ${counted(invalidRows, 'invalid row')} skipped`;
        return imported === undefined
          ? `dry run: ${validRows()} of ${counted(rows, 'row')} would be stored${skipped}; nothing was stored`
          : `${wereStored(imported.count)}${idsText(imported)}${skipped}, in ${seconds} s`;
      };

      await runTransfer(terminal, run, {
        failed: 'the import failed',
        remains: () =>
          progress.isUnconfirmed
            ? `the database did not confirm the commit: either ${wereStored(validRows())} or none; check with \`animal-store export\` before you import again`
            : 'nothing was stored',
      });
    });
