import { Command } from 'commander';
import { existsSync, ReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { ImportedPets, NewPet } from '../../core';
import { withStore } from '../store/with-store';
import type { Terminal } from '../terminal/terminal';
import { counted, grouped } from '../terminal/text';
import { openSource } from '../transfer/files';
import { type Format, formatOfFile, readRows } from '../transfer/formats';
import { type Counts, newCounts, newPetsOf } from '../transfer/import-rows';
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

/** Maximum number of invalid rows that a failed import prints. */
const maxNamedRows = 5;

/** Opens a file. `counts.share` then returns the fraction that was read. */
const openCounted = (file: string, counts: Counts, signal: AbortSignal): Readable => {
  const source = openSource(file, signal);
  if (file === '-' || !(source instanceof ReadStream)) return source;
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  counts.share = () => (size === 0 ? undefined : Math.min(source.bytesRead / size, 1));
  return source;
};

interface Import {
  readonly file: string;
  readonly format: Format;
  readonly options: Options;
  readonly counts: Counts;
}

/** Calls `use` with the animals of a file. Calls `onInvalid` with the error of each invalid row. */
const withNewPets = async <A>(
  { file, format, options, counts }: Import,
  signal: AbortSignal,
  onInvalid: (error: string) => void,
  use: (newPets: AsyncGenerator<NewPet>) => Promise<A>,
): Promise<A> => {
  const source = openCounted(file, counts, signal);
  try {
    return await use(newPetsOf(readRows(format, source, options.escapeFormulas), counts, onInvalid));
  } finally {
    source.destroy();
  }
};

const storeFile = (
  job: Import,
  { settings, terminal: { env, printMessage }, signal }: TransferContext,
): Promise<ImportedPets> => {
  const { ids, skipInvalid = false } = job.options;
  const onInvalid = (error: string): void => {
    if (!skipInvalid) throw new InvalidRow(error);
    printMessage(error);
  };
  return withNewPets(job, signal, onInvalid, (newPets) =>
    withStore(settings, 'write', { env, printMessage, signal }, ({ pets }) => storeAll(pets, newPets, ids)),
  );
};

/**
 * Checks all rows, and prints at most `maxPrinted` invalid ones. Throws if a row is invalid, unless invalid rows are
 * skipped.
 */
const checkFile = async (
  job: Import,
  { terminal: { printMessage }, signal }: TransferContext,
  maxPrinted = Infinity,
): Promise<void> => {
  const { counts, options } = job;
  const onInvalid = (error: string): void => {
    if (counts.invalidRows <= maxPrinted) printMessage(error);
  };
  await withNewPets(job, signal, onInvalid, async (newPets) => {
    while ((await newPets.next()).done !== true);
  });
  if (counts.invalidRows === 0 || options.skipInvalid === true) return;
  const printed = counts.invalidRows > maxPrinted ? `, the first ${maxPrinted} above` : '';
  throw new Error(`${grouped(counts.invalidRows)} of ${counted(counts.rows, 'row')} invalid${printed}`);
};

/**
 * Imports a file. If an invalid row ends the import, reads the file again, prints the first invalid rows and counts
 * all.
 */
const importOrExplain = async (job: Import, context: TransferContext): Promise<ImportedPets> => {
  try {
    return await storeFile(job, context);
  } catch (error) {
    // Only a regular file can be read again.
    const isReadable = job.file !== '-' && statSync(job.file, { throwIfNoEntry: false })?.isFile();
    if (!(error instanceof InvalidRow) || isReadable !== true) throw error;
    Object.assign(job.counts, newCounts());
    await checkFile(job, context, maxNamedRows);
    throw error;
  }
};

const resultText = ({ rows, invalidRows }: Counts, imported: ImportedPets | undefined): string => {
  const skipped = invalidRows === 0 ? '' : `, ${counted(invalidRows, 'invalid row')} skipped`;
  return imported === undefined
    ? `dry run: ${rows - invalidRows} of ${counted(rows, 'row')} would be stored${skipped}; nothing was stored`
    : `${counted(imported.count, 'animal')} stored${idsText(imported)}${skipped}`;
};

const resultData = ({ rows, invalidRows }: Counts, imported: ImportedPets | undefined) => ({
  stored: imported?.count ?? 0,
  firstId: imported?.firstId?.toString(),
  lastId: imported?.lastId?.toString(),
  otherIds: imported && otherIds(imported).toString(),
  rows,
  invalidRows,
});

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
      const { format = formatOfFile(file), json = false, dryRun = false } = options;
      if (format === undefined && (file === '-' || existsSync(file)))
        return command.error(missingFormat(file));
      const counts = newCounts();

      const run = async (context: TransferContext): Promise<string> => {
        if (format === undefined) throw new Error(`${file}: no such file or directory`);
        const job = { file, format, options, counts };
        let imported: ImportedPets | undefined;
        if (dryRun) await checkFile(job, context);
        else imported = await importOrExplain(job, context);
        counts.warnings.texts().forEach(context.terminal.printMessage);
        if (json) terminal.print(json, resultData(counts, imported), '');
        return resultText(counts, imported);
      };

      await runTransfer(terminal, run, {
        remains: (error) => {
          if (error instanceof CommitBegan) return error.remains;
          const hasMore = error instanceof InvalidRow || (!dryRun && counts.invalidRows > maxNamedRows);
          return `nothing was stored${hasMore ? '; --dry-run lists all invalid rows' : ''}`;
        },
        progress: () => ({ count: counts.rows, noun: 'row', share: counts.share() }),
      });
    });
