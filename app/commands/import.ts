import { Command } from 'commander';
import * as E from 'fp-ts/Either';
import { decodeNewPets, importAll, type ImportedPets, type InvalidNewPet } from '../../core';
import { type CommandStore, withStore } from '../store/with-store';
import type { Terminal } from '../terminal/terminal';
import { counted, grouped } from '../terminal/text';
import { existsSync, ReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { openSource } from '../transfer/files';
import { type Format, formatOfFile, readRows } from '../transfer/formats';
import { createIdsFile } from '../transfer/ids';
import { collectWarnings } from '../transfer/import-warnings';
import { placeOf, rowErrorText } from '../transfer/row-errors';
import type { Row } from '../transfer/rows';
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

interface Counts {
  rows: number;
  invalidRows: number;
  warnings: ReturnType<typeof collectWarnings>;
  /** Returns the fraction of the file that was read, from 0 to 1, or undefined if its size is unknown. */
  share: () => number | undefined;
}

const newCounts = (): Counts => ({
  rows: 0,
  invalidRows: 0,
  warnings: collectWarnings(),
  share: () => undefined,
});

/** Error of the first invalid row, at which an import ends. */
class InvalidRow extends Error {}

/** Number of invalid rows that an import names after it has ended. */
const maxNamedRows = 5;

/** Error of an import after its commit began. */
class CommitBegan extends Error {
  readonly remains: string;

  constructor(cause: Error, remains: string) {
    super(cause.message, { cause });
    this.remains = remains;
  }
}

const unconfirmed =
  'the database did not confirm the commit: either all animals were stored or none; check with `animal-store export` before you import again';

/** Returns how many of the ids from the first to the last don't belong to the import. */
const otherIds = ({ count, firstId, lastId }: ImportedPets): bigint =>
  firstId === undefined || lastId === undefined ? 0n : lastId - firstId + 1n - BigInt(count);

const idsText = (imported: ImportedPets): string => {
  const { firstId, lastId } = imported;
  if (firstId === undefined || lastId === undefined) return '';
  const others = otherIds(imported);
  const text =
    firstId === lastId ? ` with the new id ${firstId}` : ` with new ids from ${firstId} to ${lastId}`;
  return others === 0n ? text : `${text}, of which ${others} belong to other animals or to none`;
};

/** Opens a file. `counts.share` then returns the fraction that was read. */
const openCounted = (file: string, counts: Counts, signal: AbortSignal): Readable => {
  const source = openSource(file, signal);
  if (file === '-' || !(source instanceof ReadStream)) return source;
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  counts.share = () => (size === 0 ? undefined : Math.min(source.bytesRead / size, 1));
  return source;
};

/** Returns the values of rows, and the callbacks of an import of them. Calls `onReject` with each invalid row. */
const valuesOf = (
  batches: AsyncIterable<ReadonlyArray<Row>>,
  counts: Counts,
  onReject: (error: string) => void,
) => {
  // An import checks a value before it takes the next one, so its failure belongs to the row that was read last.
  let row: Row = { line: 0, value: E.right(undefined) };
  const reject = (reason: string): void => {
    counts.invalidRows += 1;
    onReject(`${placeOf(row)}: ${reason}`);
  };
  async function* values(): AsyncGenerator {
    for await (const rows of batches)
      for (row of rows) {
        counts.rows += 1;
        if (E.isLeft(row.value)) {
          reject(row.value.left);
          continue;
        }
        counts.warnings.see(row, row.value.right);
        yield row.value.right;
      }
  }
  const onInvalid = (failure: InvalidNewPet): void => {
    reject(rowErrorText(failure, E.isRight(row.value) ? row.value.right : undefined));
  };
  return { values: values(), callbacks: { onInvalid, onIgnored: counts.warnings.ignore } };
};

/** Stores animals in one transaction, and writes their ids to the file `ids`. */
const storeAll = async (
  pets: CommandStore['pets'],
  { values, callbacks }: ReturnType<typeof valuesOf>,
  ids: string | undefined,
): Promise<ImportedPets> => {
  const idsFile = ids === undefined ? undefined : await createIdsFile(ids);
  const imported = await importAll(pets, values, { ...callbacks, onIds: idsFile?.write })();
  const keepIds = (remains: string): Promise<void> | undefined =>
    idsFile?.keep().catch((error: unknown) => {
      throw new CommitBegan(E.toError(error), remains);
    });
  if (E.isRight(imported)) {
    await keepIds(`all animals were stored${idsText(imported.right)}`);
    return imported.right;
  }
  const { left: failure } = imported;
  if (failure._tag === 'Unavailable') {
    await keepIds(unconfirmed);
    throw new CommitBegan(failure.cause, unconfirmed);
  }
  await idsFile?.discard();
  throw failure._tag === 'ImportAborted' ? failure.cause : new Error(rowErrorText(failure, undefined));
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
    const isReadable = error instanceof InvalidRow && statSync(file, { throwIfNoEntry: false })?.isFile();
    if (isReadable !== true) throw error;
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
      if (format === undefined)
        return command.error(
          file === '-' || existsSync(file) ? missingFormat : `error: ${file}: no such file or directory`,
        );
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
