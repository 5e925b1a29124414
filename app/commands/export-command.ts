import { Command, InvalidArgumentError, Option } from 'commander';
import { PetStatus } from '../../core';
import type { Terminal } from '../terminal/terminal';
import { type Format, formatOfFile, formats } from '../transfer/rows/format';
import { concludeExport } from './conclude-export';
import { runTransfer } from './run-transfer';

interface Options {
  readonly format?: Format;
  readonly status?: PetStatus;
}

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
      await runTransfer(terminal, async (context) => {
        const { exportFile } = await import('../transfer/export/export-file.js');
        const { end, written } = await exportFile({ file, format, status }, context)();
        const remains = file === '-' ? `${written} animals were written, not all` : `${file} is as it was`;
        concludeExport(terminal, end, {
          exported: `${written} ${written === 1 ? 'animal was' : 'animals were'} exported`,
          readerGone: 'the reader went away: not all animals were written',
          failed: (reason) => `the export failed: ${reason}; ${remains}`,
          remains,
        });
      });
    });
