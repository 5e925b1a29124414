import { Command, InvalidArgumentError, Option } from 'commander';
import { PetStatus } from '../../core';
import type { Terminal } from '../terminal/terminal';
import { type Format, formatOfFile, formats } from '../transfer/formats';
import { reportEnd, runTransfer } from './run';

interface Options {
  readonly format?: Format;
  readonly status?: PetStatus;
}

const toStatus = (text: string): PetStatus => {
  if (PetStatus.is(text)) return text;
  throw new InvalidArgumentError('It must be one of available, pending, sold.');
};

export const exportCommand = (terminal: Terminal): Command =>
  new Command('export')
    .description('write all animals by ascending id, so that `import` reads the same animals')
    .argument('[file]', 'standard output if missing or -', '-')
    .addOption(
      new Option('--format <format>', 'format, if the file extension does not show it').choices(formats),
    )
    .option('--status <status>', 'write only the animals with this status', toStatus)
    .action(async (file: string, options: Options, command: Command) => {
      const { format = formatOfFile(file), status } = options;
      if (format === undefined) return command.error('error: add --format ndjson or --format csv');
      await runTransfer(terminal, async (context) => {
        const { exportFile } = await import('../transfer/export.js');
        const { end, written } = await exportFile({ file, format, status }, context);
        const remains = file === '-' ? `${written} animals were written, not all` : `${file} is unchanged`;
        reportEnd(terminal, end, {
          done: `${written} ${written === 1 ? 'animal was' : 'animals were'} exported`,
          readerGone: 'the reader has gone: not all animals were written',
          failed: (reason) => `the export failed: ${reason}; ${remains}`,
          remains,
        });
      });
    });
