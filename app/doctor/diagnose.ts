import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import type { FieldError } from '../../core';
import { changedSettings } from '../settings/changed-settings';
import { readSettings } from '../settings/read-settings';
import { settingWarnings } from '../settings/setting-warnings';
import type { Settings } from '../settings/settings';
import { startFailureText } from '../failures/start-failure';
import { type CheckResult, failed, passed } from './check-result';
import { inspectData } from './inspect-data';
import { inspectPorts } from './inspect-port';

type Environment = Readonly<Record<string, string | undefined>>;

const failedSetting = (fieldError: FieldError): CheckResult =>
  failed('settings', startFailureText({ _tag: 'InvalidSettings', fieldErrors: [fieldError] }));

const inspectAll =
  (environment: Environment, isThorough: boolean) =>
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
export const diagnose = (environment: Environment, isThorough = false): T.Task<ReadonlyArray<CheckResult>> =>
  pipe(
    readSettings(environment),
    E.match((fieldErrors) => T.of(fieldErrors.map(failedSetting)), inspectAll(environment, isThorough)),
  );
