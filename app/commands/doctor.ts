import { Command } from 'commander';
import { type CheckResult, diagnose } from '../doctor';
import { escapeControlCharacters } from '../terminal/text';
import type { Terminal } from '../terminal/terminal';

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
    .option('--json', 'print the results as JSON')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const results = await diagnose(env);
      print(json, results, results.map(toLine).join('\n'));
      if (results.some(({ ok }) => !ok)) fail(1);
    });
