import { Command } from 'commander';
import { signalExitCode } from '../terminal/signals';
import { counted } from '../terminal/text';
import type { Terminal } from '../terminal/terminal';
import { type Format, formatOfFile } from '../transfer/formats';
import type { ImportSummary } from '../transfer/import';
import { formatOption, missingFormat, runInterruptible } from './run';

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
      return `the database did not confirm the commit: either ${wereStored(rows - invalidRows)} or nothing was stored; check with \`animal-store export\` before you import again: ${summary.reason}`;
  }
};

const exitCodeOf = (summary: ImportSummary): number => {
  if (summary.outcome === 'interrupted') return signalExitCode(summary.signal);
  return summary.outcome === 'stored' || summary.outcome === 'checked' ? 0 : 1;
};

interface Options {
  readonly format?: Format;
  readonly skipInvalid?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export const importCommand = (terminal: Terminal): Command =>
  new Command('import')
    .description('add the animals of a file, with new ids; if a row is invalid, add none')
    .argument('<file>', 'CSV or NDJSON file, or - for standard input')
    .addOption(formatOption())
    .option('--skip-invalid', 'skip invalid rows and import the others')
    .option('--dry-run', 'check every row and import nothing')
    .option('--json', 'print the summary as JSON')
    .action(async (file: string, options: Options, command: Command) => {
      const { format = formatOfFile(file), skipInvalid = false, dryRun = false, json = false } = options;
      if (format === undefined) return command.error(missingFormat);
      await runInterruptible(terminal, async (context) => {
        const { importFile } = await import('../transfer/import.js');
        const summary = await importFile({ file, format, skipInvalid, dryRun }, context);
        terminal.printError(summaryText(summary));
        if (json) terminal.print(json, summary, '');
        terminal.fail(exitCodeOf(summary));
      });
    });
