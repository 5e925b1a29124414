import { Command, Option } from 'commander';
import { newPetFields, type PetStatus } from '../../core';
import { counted } from '../terminal/text';
import type { Terminal } from '../terminal/terminal';
import { type Format, formatOfFile } from '../transfer/formats';
import { formatOption, missingFormat, runTransfer, unchangedText } from './run';

interface Options {
  readonly format?: Format;
  readonly status?: PetStatus;
}

export const exportCommand = (terminal: Terminal): Command =>
  new Command('export')
    .description('write animals to a file for `import`, by ascending id')
    .argument('[file]', 'file to write, or - for standard output', '-')
    .addOption(formatOption())
    .addOption(
      new Option('--status <status>', 'write only the animals with this status').choices(
        newPetFields.status.values,
      ),
    )
    .action(async (file: string, { format = formatOfFile(file), status }: Options, command: Command) => {
      if (format === undefined) return command.error(missingFormat);
      const progress = { animals: 0 };
      await runTransfer(
        terminal,
        async (context) => {
          const { exportFile } = await import('../transfer/export.js');
          await exportFile({ file, format, status, progress }, context);
          return `${counted(progress.animals, 'animal')} ${progress.animals === 1 ? 'was' : 'were'} exported`;
        },
        {
          failed: 'the export failed',
          remains: () =>
            file === '-'
              ? `the output is incomplete (${counted(progress.animals, 'animal')})`
              : unchangedText(file),
        },
      );
    });
