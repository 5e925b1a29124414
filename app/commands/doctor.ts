import { Command, Help } from 'commander';
import * as E from 'fp-ts/Either';
import { invalidFieldTexts } from '../../core';
import { changedSettings, readSettings } from '../settings/settings';
import { settingWarnings } from '../settings/warnings';
import { failed, type Finding, type Findings, passed, warned } from '../store/checks/finding';
import { examineStore } from '../store/stages';
import { type Style, styleFor } from '../terminal/style';
import type { Terminal } from '../terminal/terminal';
import { counted, escapeControlCharacters } from '../terminal/text';

/**
 * Checks the settings and, if they are valid, everything that a start of `serve` needs. Commits only a row in the table
 * `heartbeats`.
 */
export const diagnose = async (environment: NodeJS.ReadOnlyDict<string>): Promise<Findings> => {
  const read = readSettings(environment);
  const warnings = settingWarnings(environment, read).map((text) => warned('settings', text));
  if (E.isLeft(read))
    return [...invalidFieldTexts(read.left).map((text) => failed('settings', text)), ...warnings];
  const changed = changedSettings(read.right).join(', ') || 'all settings are default';
  return [passed('settings', changed), ...warnings, ...(await examineStore(read.right))];
};

/** Makes the JSON object of a finding. */
export const resultOf = ({ check, severity, text }: Finding) => ({
  check,
  ok: severity !== 'failed',
  ...(severity === 'warning' && { isWarning: true }),
  text,
});

const stateOf = ({ severity }: Finding, style: Style): string => {
  switch (severity) {
    case 'failed':
      return style('red', 'FAIL');
    case 'warning':
      return style('yellow', 'WARN');
    case 'passed':
      return style('green', 'ok  ');
  }
};

const count = (findings: Findings, severity: Finding['severity']): number =>
  findings.filter((finding) => finding.severity === severity).length;

const summaryOf = (findings: Findings, style: Style): string => {
  const failures = count(findings, 'failed');
  if (failures > 0) return style('red', `${counted(failures, 'check')} failed`);
  const warnings = count(findings, 'warning');
  return warnings > 0
    ? style('yellow', `no check failed; ${counted(warnings, 'warning')}`)
    : style('green', `all ${findings.length} checks passed`);
};

const checkWidth = 10;
const indent = ' '.repeat('FAIL'.length + checkWidth + 4);

/** Makes a line for each finding. At a terminal, wraps the lines under their texts, and adds a summary. */
const toText = (findings: Findings, { stdout, columns, env }: Terminal): string => {
  const style = styleFor(stdout, env);
  const lines = findings.map((finding) => {
    const text = escapeControlCharacters(finding.text);
    const wrapped = new Help().boxWrap(text, columns - indent.length).replaceAll('\n', `\n${indent}`);
    return `${stateOf(finding, style)}  ${finding.check.padEnd(checkWidth)}  ${wrapped}`;
  });
  return [...lines, ...(stdout.isTTY === true ? ['', summaryOf(findings, style)] : [])].join('\n');
};

export const doctorCommand = (terminal: Terminal): Command =>
  new Command('doctor')
    .summary('check that `serve` would start and work')
    .description('check that `serve` would start and work; exit code 1 if a check fails')
    .option('--json', 'print the results as JSON')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const findings = await diagnose(terminal.env);
      terminal.print(json, findings.map(resultOf), toText(findings, terminal));
      if (count(findings, 'failed') > 0) terminal.setExitCode(1);
    });
