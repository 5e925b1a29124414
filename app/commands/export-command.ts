import { Command, InvalidArgumentError, Option } from 'commander';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { PetStatus } from '../../core';
import { interruptible } from '../terminal/interruptible';
import type { Terminal } from '../terminal/terminal';
import type { ExportSummary } from '../transfer/export/export-file';
import { type Format, formatOfFile, formats } from '../transfer/rows/format';
import { exportExitCode } from './export-exit-code';
import { runCommand } from './run-command';

interface Options {
  readonly format?: Format;
  readonly status?: PetStatus;
}

const textOf = ({ end, written }: ExportSummary, file: string): string => {
  const remains = file === '-' ? `${written} animals were written, not all` : `${file} is as it was`;
  switch (end.outcome) {
    case 'exported':
      return `${written} ${written === 1 ? 'animal was' : 'animals were'} exported`;
    case 'interrupted':
      return `interrupted by ${end.signal}: ${remains}`;
    case 'reader_gone':
      return `the reader went away: not all animals were written`;
    case 'failed':
      return `the export failed: ${end.reason}; ${remains}`;
  }
};

const toStatus = (text: string): PetStatus => {
  if (PetStatus.is(text)) return text;
  throw new InvalidArgumentError('It must be one of available, pending, sold.');
};

/** `animal-store export [FILE]` */
export const exportCommand = (terminal: Terminal): Command =>
  new Command('export')
    .description('write all animals by ascending id; `import` takes them back byte for byte')
    .argument('[file]', 'standard output if it is missing or -', '-')
    .addOption(
      new Option('--format <format>', "how to write them, if the file's ending doesn't say").choices(formats),
    )
    .option('--status <status>', 'only the animals of this status', toStatus)
    .action(async (file: string, options: Options, command: Command) => {
      const { format = formatOfFile(file), status } = options;
      if (format === undefined) return command.error('error: say --format ndjson or --format csv');
      await interruptible(terminal, async (interruption) => {
        const { exportFile } = await import('../transfer/export/export-file.js');
        await runCommand(terminal, (settings) =>
          pipe(
            TE.fromTask(exportFile({ file, format, status }, settings, terminal, interruption)),
            TE.map((summary) => {
              terminal.say(textOf(summary, file));
              terminal.fail(exportExitCode(summary.end));
            }),
          ),
        );
      });
    });
