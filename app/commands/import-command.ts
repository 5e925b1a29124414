import { Command, Option } from 'commander';
import { type Format, formatOfFile, formats } from '../transfer/rows/format';
import type { ImportSummary } from '../transfer/import/import-summary';
import { importSummaryText } from '../transfer/import/import-summary-text';
import { signalExitCode } from '../terminal/signal-exit-code';
import type { Terminal } from '../terminal/terminal';
import { runTransfer } from './run-transfer';

interface Options {
  readonly format?: Format;
  readonly skipInvalid?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const exitCodeOf = (summary: ImportSummary): number => {
  switch (summary.outcome) {
    case 'stored':
    case 'checked':
      return 0;
    case 'interrupted':
      return signalExitCode(summary.signal);
    case 'wrong_rows':
    case 'failed':
    case 'unconfirmed':
      return 1;
  }
};

/** `animal-store import FILE` */
export const importCommand = (terminal: Terminal): Command =>
  new Command('import')
    .description('add the animals of a file, all or none of them; their ids are assigned anew')
    .argument('<file>', '- for standard input')
    .addOption(
      new Option('--format <format>', "what is in it, if the file's ending doesn't say").choices(formats),
    )
    .option('--skip-invalid', 'leave wrong rows out, and add the others')
    .option('--dry-run', 'check every row, and add nothing')
    .option('--json', 'print the summary as JSON')
    .action(async (file: string, options: Options, command: Command) => {
      const { format = formatOfFile(file), skipInvalid = false, dryRun = false, json = false } = options;
      if (format === undefined) return command.error('error: say --format ndjson or --format csv');
      await runTransfer(terminal, async (context) => {
        const { importFile } = await import('../transfer/import/import-file.js');
        const summary = await importFile({ file, format, skipInvalid, dryRun }, context)();
        terminal.say(importSummaryText(summary));
        if (json) terminal.print(json, summary, '');
        terminal.fail(exitCodeOf(summary));
      });
    });
