import { Command, Option } from 'commander';
import type { Terminal } from '../terminal/terminal';
import { type Format, formatOfFile, formats } from '../transfer/formats';
import { importExitCode, importSummaryText } from '../transfer/import-summary';
import { runTransfer } from './run';

interface Options {
  readonly format?: Format;
  readonly skipInvalid?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export const importCommand = (terminal: Terminal): Command =>
  new Command('import')
    .description('import the animals of a file with new ids, all of them or none')
    .argument('<file>', '- for standard input')
    .addOption(
      new Option('--format <format>', 'format, if the file extension does not show it').choices(formats),
    )
    .option('--skip-invalid', 'skip invalid rows and import the others')
    .option('--dry-run', 'check every row and import nothing')
    .option('--json', 'print the summary as JSON')
    .action(async (file: string, options: Options, command: Command) => {
      const { format = formatOfFile(file), skipInvalid = false, dryRun = false, json = false } = options;
      if (format === undefined) return command.error('error: add --format ndjson or --format csv');
      await runTransfer(terminal, async (context) => {
        const { importFile } = await import('../transfer/import.js');
        const summary = await importFile({ file, format, skipInvalid, dryRun }, context);
        terminal.printError(importSummaryText(summary));
        if (json) terminal.print(json, summary, '');
        terminal.fail(importExitCode(summary));
      });
    });
