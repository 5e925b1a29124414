import * as E from 'fp-ts/Either';
import { existsSync, statSync } from 'node:fs';
import {
  type DatabaseReport,
  generationMismatch,
  type InspectableDatabase,
  inspectDatabase,
  type SchemaState,
  type SessionTimeouts,
} from '../../adapters/knex';
import { fieldErrorTexts } from '../../core';
import { databaseOf } from '../backend/database';
import { fileAdvice } from '../backend/database-file';
import { databaseAddressText } from '../database-address';
import { CommandFailed, failureText } from '../failures';
import { misspeltSettings, settingWarnings } from '../setting-warnings';
import { changedSettings, createsFirstKey, readSettings, type Settings } from '../settings';
import { counted } from '../terminal/text';
import { type CheckResult, failed, passed, warned } from './check-result';
import { inspectPorts } from './ports';

const clockToleranceMs = 60_000;

type KeyReport = Pick<DatabaseReport, 'validKeys' | 'newestKeyCreatedAtMs'>;

const inspectKeys = (settings: Settings, { validKeys, newestKeyCreatedAtMs }: KeyReport): CheckResult => {
  const { API_KEYS, DATABASE_URL, NODE_ENV } = settings;
  if (API_KEYS.length > 0) return passed('keys', `${counted(API_KEYS.length, 'key')} in API_KEYS`);
  if (validKeys > 0) return passed('keys', `${counted(validKeys, 'valid key')} in the database`);
  return NODE_ENV === 'production' || newestKeyCreatedAtMs !== undefined
    ? failed('keys', failureText({ _tag: 'NoApiKey' }, DATABASE_URL))
    : passed('keys', 'none: the first start creates one');
};

const inspectClock = ({ newestKeyCreatedAtMs }: KeyReport): CheckResult => {
  const now = new Date();
  return newestKeyCreatedAtMs === undefined || newestKeyCreatedAtMs <= now.getTime() + clockToleranceMs
    ? passed('clock', now.toISOString())
    : failed(
        'clock',
        `${now.toISOString()} is before the time at which the newest key was created; set the clock of this machine`,
      );
};

const inspectTimeouts = ({ areKept, text, remedy }: SessionTimeouts): CheckResult =>
  areKept
    ? passed('timeouts', text)
    : failed(
        'timeouts',
        `${text}; if a timeout is 0 or too long, an instance that hangs can block other requests; run: ${remedy}`,
      );

const inspectSchema = (schema: SchemaState): CheckResult => {
  const { pending, unknown } = schema;
  const mismatch = generationMismatch(schema);
  if (mismatch !== undefined) return failed('migrations', mismatch);
  if (pending.length > 0) {
    return passed(
      'migrations',
      `pending: ${pending.join(', ')}; the next start or \`animal-store migrate\` runs them`,
    );
  }
  return passed(
    'migrations',
    unknown.length === 0
      ? 'up to date'
      : `up to date; a newer version has also applied ${unknown.join(', ')}, which this version can use`,
  );
};

const resultsOf = (settings: Settings, report: DatabaseReport): ReadonlyArray<CheckResult> => {
  const { schema, durability, sessionTimeouts } = report;
  return [
    passed('database', `${databaseAddressText(settings.DATABASE_URL)} can be read and written`),
    durability.isDurable
      ? passed('durability', durability.text)
      : failed('durability', `${durability.text} can lose stored animals; ${durability.remedy}`),
    ...(sessionTimeouts === undefined ? [] : [inspectTimeouts(sessionTimeouts)]),
    inspectSchema(schema),
    inspectKeys(settings, report),
    inspectClock(report),
  ];
};

/**
 * Checks a path that `doctor` must not open, because opening it would create a missing file, or block on a pipe.
 * Returns undefined if the path can be opened.
 */
const inspectUnopened = (filename: string): CheckResult | undefined => {
  const advice = fileAdvice(filename);
  if (!existsSync(filename)) {
    return advice === undefined
      ? passed('database', `${filename} does not exist yet; the first start creates it`)
      : failed('database', `${filename} can't be created: ${advice}`);
  }
  if (statSync(filename).isFile()) return undefined;
  return failed('database', `${filename} can't be opened: ${advice ?? 'it is not a regular file'}`);
};

const inspectOpened = async (
  settings: Settings,
  database: InspectableDatabase,
  isThorough: boolean,
): Promise<ReadonlyArray<CheckResult>> => {
  try {
    const report = await inspectDatabase(database, {
      isThorough,
      countsRequests: settings.RATE_LIMIT !== undefined,
      createsFirstKey: createsFirstKey(settings),
    })();
    return E.isLeft(report)
      ? [failed('database', failureText(report.left, settings.DATABASE_URL))]
      : resultsOf(settings, report.right);
  } finally {
    await database.close();
  }
};

const inspectData = async (settings: Settings, isThorough: boolean): Promise<ReadonlyArray<CheckResult>> => {
  const { DATABASE_URL: address } = settings;
  const withoutData = (result: CheckResult): ReadonlyArray<CheckResult> => {
    const noKeys = { validKeys: 0, newestKeyCreatedAtMs: undefined };
    return [result, inspectKeys(settings, noKeys), inspectClock(noKeys)];
  };
  const unopened = address._tag === 'Sqlite' ? inspectUnopened(address.filename) : undefined;
  if (unopened !== undefined) return withoutData(unopened);
  try {
    const database = await databaseOf(settings)?.openForInspection();
    return database === undefined
      ? withoutData(passed('database', 'memory: keeps animals until the service stops'))
      : await inspectOpened(settings, database, isThorough);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return withoutData(failed('database', failureText(error.failure, address)));
  }
};

/**
 * Runs all checks of the command `doctor`; commands/doctor.ts prints the results. With `isThorough`, reads a SQLite
 * file completely.
 */
export const diagnose = async (
  environment: NodeJS.ReadOnlyDict<string>,
  isThorough = false,
): Promise<ReadonlyArray<CheckResult>> => {
  const read = readSettings(environment);
  if (E.isLeft(read)) {
    return [
      ...fieldErrorTexts(read.left).map((text) => failed('settings', text)),
      ...misspeltSettings(environment).map((text) => warned('settings', text)),
    ];
  }
  const settings = read.right;
  return [
    passed('settings', changedSettings(settings).join(', ') || 'all settings are default'),
    ...settingWarnings(environment, settings).map((text) => warned('settings', text)),
    ...(await inspectPorts(settings)),
    ...(await inspectData(settings, isThorough)),
  ];
};
