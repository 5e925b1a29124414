import { Command, Option } from 'commander';
import * as E from 'fp-ts/Either';
import {
  type ListOrder,
  listOrders,
  type Pet,
  type PetFilters,
  type PetRepository,
  walkPages,
} from '../../core';
import { CommandFailed } from '../failures';
import { withStore } from '../store/with-store';
import type { Terminal } from '../terminal/terminal';
import { counted, escapeControlCharacters } from '../terminal/text';
import type { WriteOptions } from '../transfer/csv';
import { replaceFile, writeStandardOutput } from '../transfer/files';
import { type Format, formatOfFile, writeRows } from '../transfer/formats';
import {
  failUsage,
  filterOptions,
  filtersOf,
  formatOption,
  missingFormat,
  nonEmpty,
  refuseOptions,
} from './arguments';
import { type LongCommand, runLongCommand, unchangedText } from './run-long-command';

interface Options extends PetFilters, WriteOptions {
  readonly order?: ListOrder;
  readonly format?: Format;
  readonly replace?: boolean;
}

export const exportCommand = (terminal: Terminal): Command => {
  const command = new Command('export')
    .summary('write animals to a CSV or NDJSON file')
    .description('write animals to a file for `import`, by id')
    .addOption(
      new Option('--order <order>', 'order of the ids; desc writes the newest first').choices(listOrders),
    )
    .argument('[file]', 'file to write, or - for standard output', nonEmpty, '-')
    .addOption(formatOption())
    .option('--replace', 'replace the file if it exists')
    .option('--bom', 'begin a CSV file with a byte order mark, by which Excel knows that it is UTF-8')
    .option('--escape-formulas', 'in CSV, put a quote before names that a spreadsheet would run as formulas')
    .action(async (file: string, options: Options, command: Command) => {
      const { format = formatOfFile(file) } = options;
      if (format === undefined) return failUsage(command, missingFormat(file));
      if (format !== 'csv') refuseOptions(command, ['bom', 'escapeFormulas'], 'CSV');
      if (file === '-') refuseOptions(command, ['replace'], 'a file, not for standard output');
      await runLongCommand(
        terminal,
        () => unchangedText(file),
        async (context) => {
          const count = await exportTo(file, format, options, context);
          return `${counted(count, 'animal')} exported${file === '-' ? '' : ` to ${file}`}`;
        },
      );
    });
  for (const option of filterOptions('write only the animals with this value')) command.addOption(option);
  return command;
};

/** Exports to a file or, for `-`, to standard output. Returns the number of animals. */
const exportTo = async (
  file: string,
  format: Format,
  options: Options,
  { settings, terminal, signal, showProgress, setRemains }: LongCommand,
): Promise<number> => {
  const { stdout } = terminal;
  let count = 0;
  if (file === '-') setRemains(() => `the output is incomplete (${counted(count, 'animal')})`);
  await withStore(settings, 'read', { ...terminal, signal }, ({ pets: { list } }) => {
    async function* pages(): AsyncGenerator<ReadonlyArray<Pet>> {
      for await (const { pets, share } of exportedPages(list, options)) {
        count += pets.length;
        // Shows no progress bar if the animals go to standard output.
        if (file !== '-') showProgress(() => ({ count, noun: 'animal', share }));
        yield pets;
      }
    }
    const texts = writeRows(format, pages(), options);
    if (file === '-')
      return writeStandardOutput(stdout, stdout.isTTY === true ? printable(texts) : texts, signal);
    const { DATABASE_URL: url } = settings;
    const database = url._tag === 'Sqlite' ? url.filename : undefined;
    return replaceFile(file, texts, signal, { mayReplace: options.replace === true, database });
  });
  return count;
};

/** Number of animals in a page. Pages may be large, because no requests to this process wait for them. */
const petsPerPage = 1_000;

interface Page {
  readonly pets: ReadonlyArray<Pet>;
  /** Fraction of the range of ids up to the end of this page, from 0 to 1, if known. */
  readonly share: number | undefined;
}

/** Yields the pages of an export. Reads the last id first, to compute the share of each page. */
async function* exportedPages(
  list: PetRepository['list'],
  { order = 'asc', ...options }: Options,
): AsyncGenerator<Page> {
  const query = { ...filtersOf(options), order, limit: petsPerPage };
  const opposite = await list({ ...query, order: order === 'asc' ? 'desc' : 'asc', limit: 1 })();
  const end = E.isRight(opposite) ? opposite.right.pets[0]?.id : undefined;
  let first: bigint | undefined;
  for await (const page of walkPages(list, query)) {
    if (E.isLeft(page)) throw new CommandFailed(page.left);
    const { pets } = page.right;
    first ??= pets[0]?.id;
    const last = pets.at(-1)?.id;
    if (first === undefined || last === undefined || end === undefined) yield { pets, share: undefined };
    else yield { pets, share: Math.min(distance(first, last) / distance(first, end), 1) };
  }
}

const distance = (one: bigint, other: bigint): number => Math.abs(Number(one - other)) + 1;

/** Escapes control characters, which could change what a terminal shows, but keeps line breaks. */
async function* printable(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield text.split(/\r?\n/).map(escapeControlCharacters).join('\n');
}
