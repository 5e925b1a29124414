import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import { fieldErrorTexts } from '../../core';
import { changedSettings } from '../settings/changed-settings';
import { readSettings } from '../settings/read-settings';
import { settingWarnings } from '../settings/setting-warnings';
import type { Settings } from '../settings/settings';
import { type CheckResult, failed, passed } from './check-result';
import { inspectData } from './inspect-data';
import { inspectPorts } from './inspect-port';

const inspectAll =
  (environment: NodeJS.ReadOnlyDict<string>, isThorough: boolean) =>
  (settings: Settings): T.Task<ReadonlyArray<CheckResult>> =>
    pipe(
      T.Do,
      T.apS('ports', inspectPorts(settings)),
      T.apS('data', inspectData(settings, isThorough)),
      T.map(({ ports, data }) => [
        passed('settings', changedSettings(settings).join(', ') || 'all are default'),
        ...settingWarnings(environment, settings).map((text) => passed('settings', `warning: ${text}`)),
        ...ports,
        ...data,
      ]),
    );

/**
 * Looks at all that a start needs, and changes no data. A thorough look at a SQLite file reads its indexes as well.
 * Without valid settings there is nothing more to look at.
 */
export const diagnose = (
  environment: NodeJS.ReadOnlyDict<string>,
  isThorough = false,
): T.Task<ReadonlyArray<CheckResult>> =>
  pipe(
    readSettings(environment),
    E.match(
      (fieldErrors) => T.of(fieldErrorTexts(fieldErrors).map((text) => failed('settings', text))),
      inspectAll(environment, isThorough),
    ),
  );
