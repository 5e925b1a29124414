import * as E from 'fp-ts/Either';
import { fieldErrorTexts } from '../../core';
import { changedSettings } from '../settings/changed-settings';
import { settingWarnings } from '../settings/setting-warnings';
import { readSettings } from '../settings/settings';
import { type CheckResult, failed, passed } from './check-result';
import { inspectData } from './inspect-data';
import { inspectPorts } from './inspect-ports';

/** Checks what `serve` needs, without changing data. `isThorough` reads a SQLite file completely, with its indexes. */
export const diagnose = async (
  environment: NodeJS.ReadOnlyDict<string>,
  isThorough = false,
): Promise<ReadonlyArray<CheckResult>> => {
  const read = readSettings(environment);
  if (E.isLeft(read)) return fieldErrorTexts(read.left).map((text) => failed('settings', text));
  const settings = read.right;
  return [
    passed('settings', changedSettings(settings).join(', ') || 'all are default'),
    ...settingWarnings(environment, settings).map((text) => passed('settings', `warning: ${text}`)),
    ...(await inspectPorts(settings)),
    ...(await inspectData(settings, isThorough)),
  ];
};
