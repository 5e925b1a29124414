import { Command } from 'commander';
import * as E from 'fp-ts/Either';
import { existsSync, ReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { ImportedPets, NewPet } from '../../core';
import { withStore } from '../store/with-store';
import type { Terminal } from '../terminal/terminal';
import { counted, grouped } from '../terminal/text';
import { openSource } from '../transfer/files';
import { type Format, formatOfFile, readRows } from '../transfer/formats';
import { createIdsFile } from '../transfer/ids';
import { type Counts, readNewPets } from '../transfer/import-rows';
import { failUsage, fileName, formatOption, missingFormat, nonEmpty, refuseOptions } from './arguments';
import { type LongCommand, runLongCommand } from './run-long-command';

interface Options {
  readonly format?: Format;
  readonly skipInvalid?: boolean;
  readonly dryRun?: boolean;
  readonly escapeFormulas?: boolean;
  readonly ids?: string;
  readonly json?: boolean;
}

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
      if (format === undefined && (file === '-' || existsSync(file)))
        return failUsage(command, missingFormat(file));
      if (format === 'ndjson') refuseOptions(command, ['escapeFormulas'], 'CSV');
      await runLongCommand(terminal, nothingStored, async (context) => {
        if (format === undefined) throw new Error(`${file}: no such file or directory`);
        const run = options.dryRun === true ? dryRun : importOrExplain;
        const outcome = await run({ file, format, options }, context);
        for (const text of outcome.counts.warnings) context.terminal.printMessage(text, 'warning');
        if (json) terminal.print(json, resultData(outcome), '');
        return resultText(outcome);
      });
    });

interface Import {
  readonly file: string;
  readonly format: Format;
  readonly options: Options;
}

interface Outcome {
  readonly counts: Counts;
  /** Undefined after a dry run. */
  readonly imported?: ImportedPets;
}

const dryRun = async (job: Import, context: LongCommand): Promise<Outcome> => {
  const counts = await checkRows(job, context);
  if (counts.invalidRows > 0 && job.options.skipInvalid !== true) throw invalidRowsError(counts);
  return { counts };
};

/** Error of the first invalid row, at which an import ends. */
class InvalidRow extends Error {}

/**
 * Imports a file. If an invalid row ends the import, reads the file again to print the first invalid rows and count all
 * of them.
 */
const importOrExplain = async (job: Import, context: LongCommand): Promise<Outcome> => {
  try {
    return await storeFile(job, context);
  } catch (error) {
    if (!(error instanceof InvalidRow)) throw error;
    context.setRemains(() => `${nothingStored()}; --dry-run lists all invalid rows`);
    // Rethrows unless this is a regular file, because a pipe or standard input can't be read again.
    if (job.file === '-' || statSync(job.file, { throwIfNoEntry: false })?.isFile() !== true) throw error;
    const counts = await checkRows(job, context, maxNamedRows);
    if (counts.invalidRows === 0) throw error;
    if (counts.invalidRows <= maxNamedRows) context.setRemains(nothingStored);
    throw invalidRowsError(counts, maxNamedRows);
  }
};

/** Maximum number of invalid rows that a failed import prints. */
const maxNamedRows = 5;

const storeFile = async (job: Import, context: LongCommand): Promise<Outcome> => {
  const { ids, skipInvalid = false } = job.options;
  const { settings, terminal, signal, setRemains } = context;
  const onInvalid = (error: string): void => {
    if (!skipInvalid) throw new InvalidRow(error);
    terminal.printMessage(error);
  };
  const options = { env: terminal.env, printMessage: terminal.printMessage, signal };
  const { result, counts } = await withNewPets(job, context, onInvalid, (newPets) =>
    withStore(settings, 'write', options, async ({ pets }) => {
      const idsFile = ids === undefined ? undefined : await createIdsFile(ids);
      const imported = await pets.importAll(newPets, idsFile?.write)();
      if (E.isRight(imported)) {
        setRemains(() => `all animals were stored${idsText(imported.right)}`);
        await idsFile?.keep();
        return imported.right;
      }
      const { _tag: tag, cause } = imported.left;
      if (tag === 'Unavailable') {
        setRemains(() => unconfirmed);
        await idsFile?.keep();
      } else await idsFile?.discard();
      throw cause;
    }),
  );
  return { imported: result, counts };
};

const unconfirmed =
  'the database did not confirm the commit: either all animals were stored or none; check with `animal-store export` before you import again';

const nothingStored = (): string => 'nothing was stored';

/** Checks all rows, and prints at most `maxPrinted` invalid ones. */
const checkRows = async (job: Import, context: LongCommand, maxPrinted = Infinity): Promise<Counts> => {
  let printed = 0;
  const onInvalid = (error: string): void => {
    if (printed === maxPrinted) return;
    printed += 1;
    context.terminal.printMessage(error);
  };
  const { counts } = await withNewPets(job, context, onInvalid, async (newPets) => {
    while ((await newPets.next()).done !== true);
  });
  return counts;
};

/** Calls `use` with the animals of a file. Calls `onInvalid` with the error of each invalid row. */
const withNewPets = async <A>(
  { file, format, options }: Import,
  { signal, showProgress }: LongCommand,
  onInvalid: (error: string) => void,
  use: (newPets: AsyncGenerator<NewPet>) => Promise<A>,
): Promise<{ readonly result: A; readonly counts: Counts }> => {
  const source = openSource(file, signal);
  const share = readShare(file, source);
  try {
    const { newPets, counts } = readNewPets(readRows(format, source, options.escapeFormulas), onInvalid);
    showProgress(() => ({ count: counts().rows, noun: 'row', share: share() }));
    const result = await use(newPets);
    return { result, counts: counts() };
  } finally {
    source.destroy();
  }
};

/** Makes a function that returns the fraction of a file that was read, or undefined if its size is unknown. */
const readShare = (file: string, source: Readable): (() => number | undefined) => {
  if (file === '-' || !(source instanceof ReadStream)) return () => undefined;
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  return () => (size === 0 ? undefined : Math.min(source.bytesRead / size, 1));
};

const invalidRowsError = ({ invalidRows, rows }: Counts, maxPrinted = Infinity): Error => {
  const printed = invalidRows > maxPrinted ? `, the first ${maxPrinted} above` : '';
  return new Error(`${grouped(invalidRows)} of ${counted(rows, 'row')} invalid${printed}`);
};

const resultText = ({ counts: { rows, invalidRows }, imported }: Outcome): string => {
  const skipped = invalidRows === 0 ? '' : `, ${counted(invalidRows, 'invalid row')} skipped`;
  return imported === undefined
    ? `dry run: ${rows - invalidRows} of ${counted(rows, 'row')} would be stored${skipped}; nothing was stored`
    : `${counted(imported.count, 'animal')} stored${idsText(imported)}${skipped}`;
};

const idsText = (imported: ImportedPets): string => {
  const { firstId, lastId } = imported;
  if (firstId === undefined || lastId === undefined) return '';
  const others = otherIds(imported);
  const text =
    firstId === lastId ? ` with the new id ${firstId}` : ` with new ids from ${firstId} to ${lastId}`;
  return others === 0n ? text : `${text}, of which ${others} belong to other animals or to none`;
};

/** Returns how many of the ids from the first to the last don't belong to the import. */
const otherIds = ({ count, firstId, lastId }: ImportedPets): bigint =>
  firstId === undefined || lastId === undefined ? 0n : lastId - firstId + 1n - BigInt(count);

const resultData = ({ counts: { rows, invalidRows }, imported }: Outcome) => ({
  stored: imported?.count ?? 0,
  firstId: imported?.firstId?.toString(),
  lastId: imported?.lastId?.toString(),
  otherIds: imported && otherIds(imported).toString(),
  rows,
  invalidRows,
});
