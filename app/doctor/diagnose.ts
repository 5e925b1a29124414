import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import type { FieldFault } from '../../core';
import { changedSettings } from '../settings/changed-settings';
import { readSettings } from '../settings/read-settings';
import { settingWarnings } from '../settings/setting-warnings';
import type { Settings } from '../settings/settings';
import { startFailureText } from '../failures/start-failure';
import { finding, type Finding } from './check-result';
import { inspectData } from './inspect-data';
import { inspectPorts } from './inspect-port';

type Environment = Readonly<Record<string, string | undefined>>;

const faultOf = (one: FieldFault): Finding =>
  finding('settings', false, startFailureText({ _tag: 'InvalidSettings', faults: [one] }));

const inspectAll =
  (environment: Environment, isThorough: boolean) =>
  (settings: Settings): T.Task<ReadonlyArray<Finding>> =>
    pipe(
      T.Do,
      T.apS('ports', inspectPorts(settings)),
      T.apS('data', inspectData(settings, isThorough)),
      T.map(({ ports, data }) => [
        finding('settings', true, changedSettings(settings).join(', ') || 'all are default'),
        ...settingWarnings(environment, settings).map((text) =>
          finding('settings', true, `warning: ${text}`),
        ),
        ...ports,
        ...data,
      ]),
    );

/**
 * Looks at all that a start needs, and changes no data. A thorough look at a SQLite file reads its indexes as well.
 * Without valid settings there is nothing more to look at.
 */
export const diagnose = (environment: Environment, isThorough = false): T.Task<ReadonlyArray<Finding>> =>
  pipe(
    readSettings(environment),
    E.match((faults) => T.of(faults.map(faultOf)), inspectAll(environment, isThorough)),
  );
