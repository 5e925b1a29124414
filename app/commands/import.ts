import { Command } from 'commander';
import { existsSync, ReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { decodeNewPets, type ImportedPets } from '../../core';
import { withStore } from '../store/with-store';
import type { Terminal } from '../terminal/terminal';
import { counted, grouped } from '../terminal/text';
import { openSource } from '../transfer/files';
import { type Format, formatOfFile, readRows } from '../transfer/formats';
import { type Counts, newCounts, valuesOf } from '../transfer/import-rows';
import { CommitBegan, idsText, otherIds, storeAll } from '../transfer/store-rows';
import { fileName, formatOption, missingFormat, nonEmpty } from './arguments';
import { runTransfer, type TransferContext } from './run-transfer';

interface Options {
  readonly format?: Format;
  readonly skipInvalid?: boolean;
  readonly dryRun?: boolean;
  readonly escapeFormulas?: boolean;
  readonly ids?: string;
  readonly json?: boolean;
}

/** Error of the first invalid row, at which an import ends. */
class InvalidRow extends Error {}

/** Number of invalid rows that an import names after it has ended. */
const maxNamedRows = 5;

/** Opens a file. `counts.share` then returns the fraction that was read. */
const openCounted = (file: string, counts: Counts, signal: AbortSignal): Readable => {
  const source = openSource(file, signal);
  if (file === '-' || !(source instanceof ReadStream)) return source;
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  counts.share = () => (size === 0 ? undefined : Math.min(source.bytesRead / size, 1));
  return source;
};

/**
 * Stores the animals of a file. With `--dry-run`, only checks them, and returns undefined. Prints at most `maxPrinted`
 * invalid rows.
 */
const importFile = async (
  file: string,
  format: Format,
  { skipInvalid = false, dryRun = false, escapeFormulas = false, ids }: Options,
  counts: Counts,
  { settings, terminal: { env, printError }, signal }: TransferContext,
  maxPrinted = Infinity,
): Promise<ImportedPets | undefined> => {
  const source = openCounted(file, counts, signal);
  const animals = valuesOf(readRows(format, source, escapeFormulas), counts, (error) => {
    if (!skipInvalid && !dryRun) throw new InvalidRow(error);
    if (counts.invalidRows <= maxPrinted) printError(error);
  });
  try {
    if (!dryRun)
      return await withStore(settings, { env, printError, signal }, ({ pets }) =>
        storeAll(pets, animals, ids),
      );
    const decoded = decodeNewPets(animals.values, animals.callbacks);
    while ((await decoded.next()).done !== true);
    if (counts.invalidRows === 0 || skipInvalid) return undefined;
    const printed = counts.invalidRows > maxPrinted ? `, the first ${maxPrinted} above` : '';
    throw new Error(`${grouped(counts.invalidRows)} of ${counted(counts.rows, 'row')} invalid${printed}`);
  } finally {
    source.destroy();
  }
};

/** Imports a file. After an invalid row has ended the import, names the first ones, and counts all. */
const importOrExplain = async (
  file: string,
  format: Format,
  options: Options,
  counts: Counts,
  context: TransferContext,
): Promise<ImportedPets | undefined> => {
  try {
    return await importFile(file, format, options, counts, context);
  } catch (error) {
    // A pipe can't be read again.
    const isReadable = file !== '-' && statSync(file, { throwIfNoEntry: false })?.isFile();
    if (!(error instanceof InvalidRow) || isReadable !== true) throw error;
    Object.assign(counts, newCounts());
    await importFile(file, format, { ...options, dryRun: true }, counts, context, maxNamedRows);
    throw error;
  }
};

export const importCommand = (terminal: Terminal): Command =>
  new Command('import')
    .summary('add the animals of a CSV or NDJSON file')
    .description('add the animals of a file, with new ids; if a row is invalid, add none')
    .argument('<file>', 'CSV or NDJSON file, or - for standard input', nonEmpty)
    .addOption(formatOption())
    .option('--skip-invalid', 'skip invalid rows and import the others')
    .option('--dry-run', 'check every row and import nothing')
    .option('--escape-formulas', 'in CSV, remove the quotes that `export --escape-formulas` has added')
    .option('--ids <file>', 'write the new ids to a file, for `pets delete --ids`', fileName)
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: Options, command: Command) => {
      const { format = formatOfFile(file), json = false } = options;
      if (format === undefined) {
        if (file === '-' || existsSync(file)) return command.error(missingFormat(file));
        terminal.printError(`error: ${file}: no such file or directory; nothing was stored`);
        terminal.fail(1);
        return;
      }
      const counts = newCounts();

      const run = async (context: TransferContext): Promise<string> => {
        const imported = await importOrExplain(file, format, options, counts, context);
        const { rows, invalidRows } = counts;
        counts.warnings.texts().forEach(context.terminal.printError);
        const { count: stored, firstId, lastId } = imported ?? { count: 0 };
        const ids = {
          firstId: firstId?.toString(),
          lastId: lastId?.toString(),
          otherIds: imported && otherIds(imported).toString(),
        };
        if (json) terminal.print(json, { stored, ...ids, rows, invalidRows }, '');
        const skipped = invalidRows === 0 ? '' : `, ${counted(invalidRows, 'invalid row')} skipped`;
        return imported === undefined
          ? `dry run: ${rows - invalidRows} of ${counted(rows, 'row')} would be stored${skipped}; nothing was stored`
          : `${counted(stored, 'animal')} stored${idsText(imported)}${skipped}`;
      };

      await runTransfer(terminal, run, {
        remains: (error) => {
          if (error instanceof CommitBegan) return error.remains;
          const hasMore =
            error instanceof InvalidRow || (options.dryRun !== true && counts.invalidRows > maxNamedRows);
          return `nothing was stored${hasMore ? '; --dry-run lists all invalid rows' : ''}`;
        },
        progress: () => ({ count: counts.rows, noun: 'row', share: counts.share() }),
      });
    });
