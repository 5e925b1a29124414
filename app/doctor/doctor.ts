import * as E from 'fp-ts/Either';
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  type DatabaseReport,
  generationMismatch,
  type InspectableDatabase,
  inspectDatabase,
  type SchemaState,
} from '../../adapters/knex';
import { fieldErrorTexts } from '../../core';
import { databaseOf, mayCreateStore } from '../backend/database';
import { fileAdvice, mountAdvice, ownerOf, userName } from '../backend/database-file';
import { databaseAddressText } from '../database-address';
import { CommandFailed, failureText } from '../failures';
import { misspeltSettings, settingWarnings } from '../setting-warnings';
import { changedSettings, readSettings, type Settings } from '../settings';
import { counted } from '../terminal/text';
import { type CheckResult, failed, passed, warned } from './check-result';
import { inspectPorts } from './ports';

/**
 * Fails if the file or its folder belongs to another user. Compares owners, because root can open every file, even one
 * that the user of the service can't open.
 */
const inspectUser = ({ DATABASE_URL: address }: Settings): CheckResult => {
  const uid = process.getuid?.();
  const user = uid === undefined ? 'unknown' : userName(uid);
  const file = address._tag === 'Sqlite' ? resolve(address.filename) : undefined;
  const paths = file === undefined || uid === undefined ? [] : [file, dirname(file)];
  const foreign = paths.find((path) => existsSync(path) && statSync(path).uid !== uid);
  return foreign === undefined
    ? passed('user', `this command runs as ${user}`)
    : failed(
        'user',
        `this command runs as ${user}, but ${foreign} belongs to ${ownerOf(foreign)}; run it as the user of the service, to whom the file and its folder must belong`,
      );
};

/**
 * Checks that the log of a SQLite file is on the same volume as the file. If not, fails in production, where `serve`
 * refuses to start, and otherwise warns, as `serve` does.
 */
const inspectMount = ({ DATABASE_URL: address, NODE_ENV }: Settings): ReadonlyArray<CheckResult> => {
  const advice = address._tag === 'Sqlite' ? mountAdvice(address.filename) : undefined;
  if (advice === undefined) return [];
  return [NODE_ENV === 'production' ? failed('database', advice) : warned('database', advice)];
};

const inspectKeys = (
  settings: Settings,
  { issuedKeys, validKeys }: Pick<DatabaseReport, 'issuedKeys' | 'validKeys'>,
): CheckResult => {
  const { API_KEYS, DATABASE_URL, NODE_ENV } = settings;
  if (API_KEYS.length > 0) return passed('keys', `${counted(API_KEYS.length, 'key')} in API_KEYS`);
  if (validKeys > 0) return passed('keys', `${counted(validKeys, 'valid key')} in the database`);
  return NODE_ENV === 'production' || issuedKeys > 0
    ? failed('keys', failureText({ _tag: 'NoApiKey' }, DATABASE_URL))
    : passed('keys', 'none: the first start creates one');
};

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

const missingStore = ({ DATABASE_URL }: Settings): CheckResult =>
  failed('database', failureText({ _tag: 'NotInitialized' }, DATABASE_URL));

/**
 * Checks a path that `doctor` must not open, because opening it would create a missing file, or block on a pipe.
 * Returns undefined if the path can be opened.
 */
const inspectUnopened = (filename: string, settings: Settings): CheckResult | undefined => {
  const advice = fileAdvice(filename);
  if (!existsSync(filename)) {
    if (advice === undefined && !mayCreateStore(settings)) return missingStore(settings);
    return advice === undefined
      ? passed('database', `${filename} does not exist yet; the first start creates it`)
      : failed('database', `${filename} can't be created: ${advice}`);
  }
  return advice === undefined ? undefined : failed('database', `${filename} can't be used: ${advice}`);
};

const inspectOpened = async (
  settings: Settings,
  database: InspectableDatabase,
  isThorough: boolean,
): Promise<ReadonlyArray<CheckResult>> => {
  const { DATABASE_URL: address } = settings;
  try {
    const report = await inspectDatabase(database, isThorough)();
    if (E.isLeft(report)) return [failed('database', failureText(report.left, address))];
    const { findings, schema } = report.right;
    if (schema.generation === 0 && !mayCreateStore(settings)) return [missingStore(settings)];
    return [
      passed('database', `${databaseAddressText(address)} can be read and written`),
      ...findings,
      inspectSchema(schema),
      inspectKeys(settings, report.right),
    ];
  } finally {
    await database.close();
  }
};

const inspectData = async (settings: Settings, isThorough: boolean): Promise<ReadonlyArray<CheckResult>> => {
  const { DATABASE_URL: address } = settings;
  const withoutData = (result: CheckResult): ReadonlyArray<CheckResult> => [
    result,
    inspectKeys(settings, { issuedKeys: 0, validKeys: 0 }),
  ];
  const unopened = address._tag === 'Sqlite' ? inspectUnopened(address.filename, settings) : undefined;
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
    inspectUser(settings),
    ...(await inspectPorts(settings)),
    ...inspectMount(settings),
    ...(await inspectData(settings, isThorough)),
  ];
};
