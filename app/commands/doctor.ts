import { Command } from 'commander';
import * as E from 'fp-ts/Either';
import { invalidFieldTexts } from '../../core';
import { changedSettings, readSettings } from '../settings/settings';
import { settingWarnings } from '../settings/warnings';
import { failed, type Finding, passed, warned } from '../store/opening';
import { trySteps } from '../store/steps';
import { type Style, styleFor } from '../terminal/style';
import type { Terminal } from '../terminal/terminal';
import { escapeControlCharacters } from '../terminal/text';

/** Checks the settings and, if they are valid, tries every step of the start of `serve`. Changes only the heartbeat. */
export const diagnose = async (environment: NodeJS.ReadOnlyDict<string>): Promise<ReadonlyArray<Finding>> => {
  const read = readSettings(environment);
  const warnings = settingWarnings(environment, read).map((text) => warned('settings', text));
  if (E.isLeft(read))
    return [...invalidFieldTexts(read.left).map((text) => failed('settings', text)), ...warnings];
  const changed = changedSettings(read.right).join(', ') || 'all settings are default';
  return [passed('settings', changed), ...warnings, ...(await trySteps(read.right))];
};

const stateOf = ({ ok, isWarning }: Finding, style: Style): string => {
  if (!ok) return style('red', 'FAIL');
  return isWarning ? style('yellow', 'WARN') : style('green', 'ok  ');
};

const toLine = (finding: Finding, style: Style): string => {
  const { check, text } = finding;
  return `${stateOf(finding, style)}  ${check.padEnd(10)}  ${escapeControlCharacters(text)}`;
};

export const doctorCommand = ({ env, stdout, print, fail }: Terminal): Command =>
  new Command('doctor')
    .summary('check that `serve` would start and work')
    .description('check that `serve` would start and work; exit code 1 if a check fails')
    .option('--json', 'print the results as JSON')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const style = styleFor(stdout, env);
      const findings = await diagnose(env);
      print(json, findings, findings.map((finding) => toLine(finding, style)).join('\n'));
      if (findings.some(({ ok }) => !ok)) fail(1);
    });
