import { Command } from 'commander';
import { type CheckResult, diagnose } from '../doctor';
import { escapeControlCharacters } from '../terminal/text';
import type { Terminal } from '../terminal/terminal';

interface Options {
  readonly full?: boolean;
  readonly json?: boolean;
}

const stateOf = ({ ok, isWarning }: CheckResult): string => {
  if (!ok) return 'FAIL';
  return isWarning ? 'WARN' : 'ok';
};

const toLine = (result: CheckResult): string => {
  const { check, text } = result;
  return `${stateOf(result).padEnd(4)}  ${check.padEnd(10)}  ${escapeControlCharacters(text)}`;
};

/** Makes the command `doctor`, which command-line.ts adds to the program. */
export const doctorCommand = ({ env, print, fail }: Terminal): Command =>
  new Command('doctor')
    .description('check that `serve` would start and work; exit code 1 if a check fails')
    .option('--full', 'also check the indexes of a SQLite file for damage; takes minutes for a large file')
    .option('--json', 'print the results as JSON')
    .action(async ({ full = false, json = false }: Options) => {
      const results = await diagnose(env, full);
      print(json, results, results.map(toLine).join('\n'));
      if (results.some(({ ok }) => !ok)) fail(1);
    });
