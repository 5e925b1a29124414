import { Command, Help } from 'commander';
import * as E from 'fp-ts/Either';
import { invalidFieldTexts } from '../../core';
import { changedSettings, readSettings } from '../settings/settings';
import { settingWarnings } from '../settings/warnings';
import { examineStore } from '../store/checks/examine-store';
import { failed, type Finding, passed, warned } from '../store/checks/finding';
import { type Style, styleFor } from '../terminal/style';
import type { Terminal } from '../terminal/terminal';
import { counted, escapeControlCharacters } from '../terminal/text';

/**
 * Checks the settings and, if they are valid, everything that a start of `serve` needs. Commits only a row in the table
 * `heartbeats`.
 */
export const diagnose = async (environment: NodeJS.ReadOnlyDict<string>): Promise<ReadonlyArray<Finding>> => {
  const read = readSettings(environment);
  const warnings = settingWarnings(environment, read).map((text) => warned('settings', text));
  if (E.isLeft(read))
    return [...invalidFieldTexts(read.left).map((text) => failed('settings', text)), ...warnings];
  const changed = changedSettings(read.right).join(', ') || 'all settings are default';
  return [passed('settings', changed), ...warnings, ...(await examineStore(read.right))];
};

const stateOf = ({ ok, isWarning }: Finding, style: Style): string => {
  if (!ok) return style('red', 'FAIL');
  return isWarning ? style('yellow', 'WARN') : style('green', 'ok  ');
};

const summaryOf = (findings: ReadonlyArray<Finding>, style: Style): string => {
  const failures = findings.filter(({ ok }) => !ok).length;
  if (failures > 0) return style('red', `${counted(failures, 'check')} failed`);
  const warnings = findings.filter(({ isWarning }) => isWarning).length;
  return warnings > 0
    ? style('yellow', `no check failed; ${counted(warnings, 'warning')}`)
    : style('green', `all ${findings.length} checks passed`);
};

const checkWidth = 10;
const indent = ' '.repeat('FAIL'.length + checkWidth + 4);

/** Makes a line for each finding. At a terminal, wraps the lines under their texts, and adds a summary. */
const toText = (findings: ReadonlyArray<Finding>, { stdout, columns, env }: Terminal): string => {
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
      terminal.print(json, findings, toText(findings, terminal));
      if (findings.some(({ ok }) => !ok)) terminal.setExitCode(1);
    });
