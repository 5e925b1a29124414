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
 * Returns a hint for an error of the command line. An unknown option such as `--port` gets the setting with that name,
 * an unknown subcommand gets those that exist, and any other error gets how to ask for help.
 */
const hintAfter = (error: string, command: Command): string => {
  if (error.includes('unknown command') && !error.includes('Did you mean'))
    return `${pathOf(command)} has the commands ${command.commands.map((each) => each.name()).join(', ')}\n`;
  const [, option = '', letter = ''] = /unknown option '-(?:-([\w-]+)|(p)')/.exec(error) ?? [];
  const name = letter === '' ? option.toUpperCase().replaceAll('-', '_') : 'PORT';
  return settingNames.includes(name)
    ? `${name} is a setting: set the environment variable ${name}\n`
    : `see \`${pathOf(command)} --help\`\n`;
};

const withoutJargon = (error: string): string =>
  error.replace(
    /command-argument value '(.*)' is invalid for argument '(.*)'\./,
    "'$1' is invalid for <$2>.",
  );

/** Lets a command and its subcommands print through a terminal, with styles, examples and hints. */
export const styleHelp = (command: Command, terminal: Terminal): void => {
  const { write, writeError, printError, stdout, stderr, env } = terminal;
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
        `${withoutJargon(text)}${hintAfter(text, command)}`.trimEnd().split('\n').forEach(printError);
      },
    })
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
