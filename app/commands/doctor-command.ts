import { Command } from 'commander';
import type { Finding } from '../doctor/finding';
import { print } from '../terminal/print';

interface Options {
  readonly json?: boolean;
}

const line = ({ check, ok, text }: Finding): string =>
  `${(ok ? 'ok' : 'FAULT').padEnd(5)}  ${check.padEnd(10)}  ${text}`;

/** `animal-store doctor` */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .description('look whether `serve` would start and work; exit code 1 when something is wrong')
    .option('--json', 'print what was found as JSON')
    .action(async ({ json = false }: Options) => {
      const { diagnose } = await import('../doctor/diagnose.js');
      const findings = await diagnose(process.env)();
      print(json, findings, findings.map(line).join('\n'));
      if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
    });
