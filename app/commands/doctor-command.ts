import { Command } from 'commander';
import type { CheckResult } from '../doctor/check-result';
import type { Terminal } from '../terminal/terminal';

interface Options {
  readonly full?: boolean;
  readonly json?: boolean;
}

const line = ({ check, ok, text }: CheckResult): string =>
  `${(ok ? 'ok' : 'FAIL').padEnd(4)}  ${check.padEnd(10)}  ${text}`;

/** `animal-store doctor` */
export const doctorCommand = ({ env, print, fail }: Terminal): Command =>
  new Command('doctor')
    .description('look whether `serve` would start and work; exit code 1 when something is wrong')
    .option('--full', 'read a SQLite file whole, its indexes as well: minutes where it is large')
    .option('--json', 'print what was found as JSON')
    .action(async ({ full = false, json = false }: Options) => {
      const { diagnose } = await import('../doctor/diagnose.js');
      const results = await diagnose(env, full)();
      print(json, results, results.map(line).join('\n'));
      if (results.some(({ ok }) => !ok)) fail(1);
    });
