import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import type { FieldFault } from '../../core';
import { changedSettings } from '../settings/changed-settings';
import { decodeSettings, type Settings } from '../settings/settings';
import { startFailureText } from '../failures/start-failure';
import { finding, type Finding } from './finding';
import { inspectData } from './inspect-data';
import { inspectPort } from './inspect-port';

const faultOf = (one: FieldFault): Finding =>
  finding('settings', false, startFailureText({ _tag: 'InvalidSettings', faults: [one] }));

const inspectAll = (settings: Settings, isThorough: boolean): T.Task<ReadonlyArray<Finding>> =>
  pipe(
    T.Do,
    T.apS('port', inspectPort(settings)),
    T.apS('data', inspectData(settings, isThorough)),
    T.map(({ port, data }) => [
      finding('settings', true, changedSettings(settings).join(', ') || 'all are default'),
      port,
      ...data,
    ]),
  );

/** Looks at all that a start needs, and changes no data. A thorough look at a SQLite file reads
 * its indexes as well. Without valid settings there is nothing more to look at. */
export const diagnose = (
  environment: Readonly<Record<string, string | undefined>>,
  isThorough = false,
): T.Task<ReadonlyArray<Finding>> =>
  pipe(
    decodeSettings(environment),
    E.match(
      (faults) => T.of(faults.map(faultOf)),
      (settings) => inspectAll(settings, isThorough),
    ),
  );
