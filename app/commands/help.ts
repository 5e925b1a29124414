/* Help of the command line, with examples, and hints after errors. */

import type { Command } from 'commander';
import { settingNames } from '../settings/settings';
import { obeysEscapes, styleFor } from '../terminal/style';
import type { Terminal } from '../terminal/terminal';

const examples: Readonly<Record<string, ReadonlyArray<string>>> = {
  'animal-store': ['serve', "keys create --name 'price list'", 'import animals.csv', 'serve --help'],
  'animal-store keys': ["create --name 'price list' --expires 90d", 'rotate ID --grace 1d', 'revoke ID'],
  'animal-store pets': ['get 1', 'update 1 --status sold', 'delete 1'],
  'animal-store import': ['animals.csv', 'animals.csv --dry-run', '- --format ndjson <animals.ndjson'],
  'animal-store export': ['animals.csv --replace', '--status sold --format ndjson >sold.ndjson'],
  'animal-store backup': ['animals.backup'],
};

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

/**
 * Patterns in Commander's messages, and their replacements, which make them read like the other errors of this program.
 */
const rephrasings: ReadonlyArray<readonly [RegExp, string]> = [
  [/option '(?:-\w, )?(--[\w-]+)[^']*' argument '.*' is invalid\./s, '$1'],
  [/command-argument value '.*' is invalid for argument '(.*)'\./s, '<$1>'],
  [/Allowed choices are (.*)\./, 'must be one of $1'],
  [/required option '(.*)' not specified/, '$1 is required'],
  [/missing required argument '(.*)'/, '<$1> is required'],
  [/option '(.*)' argument missing/, '$1 needs a value'],
  [/too many arguments.*Expected (\d+) .* got (\d+)\./, 'too many arguments: $2 instead of $1'],
  [/\n\(Did you mean (.*)\?\)/, '; did you mean $1?'],
];

/**
 * Adds a hint to a command-line error: the setting with the name of an unknown option, the existing subcommands, or the
 * option `--help`.
 */
const withHint = (text: string, command: Command): string => {
  const error = rephrasings.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text.trim());
  const [, option = '', letter = ''] = /unknown option '-(?:-([\w-]+)|(p)')/.exec(error) ?? [];
  const name = letter === '' ? option.toUpperCase().replaceAll('-', '_') : 'PORT';
  if (settingNames.includes(name))
    return `${error}; ${name} is a setting: set the environment variable ${name}`;
  if (error.endsWith('?')) return error;
  const commands = command.commands.map((each) => each.name()).join(', ');
  return error.includes('unknown command')
    ? `${error}; ${pathOf(command)} has the commands ${commands}`
    : `${error}; see \`${pathOf(command)} --help\``;
};

/** Lets a command and its subcommands print through a terminal, with styles, examples and hints. */
export const styleHelp = (command: Command, terminal: Terminal): void => {
  const { write, writeError, printMessage, stdout, stderr, env } = terminal;
  const style = styleFor(stdout, env);
  const lines = (examples[pathOf(command)] ?? []).map((example) => `  ${pathOf(command)} ${example}`);
  command
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: writeError,
      getOutHasColors: () => obeysEscapes(stdout, env),
      getErrHasColors: () => obeysEscapes(stderr, env),
      outputError: (text) => {
        printMessage(withHint(text.replace(/^error: /, ''), command), 'error');
      },
    })
    .helpOption('-h, --help', 'print this help')
    .configureHelp({
      // Leaves out the command `help`, which does the same as the option --help.
      visibleCommands: ({ commands }) => [...commands],
      styleTitle: (text) => style('bold', text),
      styleCommandText: (text) => style('cyan', text),
      styleSubcommandText: (text) => style('cyan', text),
      styleOptionText: (text) => style('cyan', text),
      styleArgumentText: (text) => style('cyan', text),
    });
  if (lines.length > 0)
    command.addHelpText('after', () => ['', style('bold', 'Examples:'), ...lines].join('\n'));
  for (const child of command.commands) styleHelp(child, terminal);
};
