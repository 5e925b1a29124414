import * as E from 'fp-ts/Either';
import { existsSync, statSync } from 'node:fs';
import {
  type InspectableDatabase,
  type DatabaseReport,
  generationMismatch,
  inspectDatabase,
  type Limits,
  type SchemaState,
} from '../../adapters/knex';
import { databaseOf } from '../backend/database';
import { fileAdvice } from '../backend/database-advice';
import { CommandFailed, failureText } from '../failures';
import { databaseAddressText } from '../settings/database-address';
import type { Settings } from '../settings/settings';
import { counted } from '../terminal/streams';
import { type CheckResult, failed, passed } from './check-result';

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
        `${now.toISOString()} is before the time at which the newest key was created: set the clock of this machine`,
      );
};

const inspectLimits = ({ areKept, text, remedy }: Limits): CheckResult =>
  areKept
    ? passed('limits', text)
    : failed('limits', `${text}: a client that hangs can block other requests: ${remedy}`);

const inspectSchema = (schema: SchemaState): CheckResult => {
  const { pending, unknown } = schema;
  const mismatch = generationMismatch(schema);
  if (mismatch !== undefined) return failed('migrations', mismatch);
  if (pending.length > 0) {
    return passed(
      'migrations',
      `pending: ${pending.join(', ')}: the next start or \`animal-store migrate\` runs them`,
    );
  }
  return passed(
    'migrations',
    unknown.length === 0 ? 'up to date' : `up to date, with ${unknown.join(', ')} of a newer version`,
  );
};

const resultsOf = (settings: Settings, report: DatabaseReport): ReadonlyArray<CheckResult> => {
  const { schema, durability, limits } = report;
  return [
    passed('database', `${databaseAddressText(settings.DATABASE_URL)} can be read and written`),
    durability.isDurable
      ? passed('durability', durability.text)
      : failed('durability', `${durability.text} can lose stored animals: ${durability.remedy}`),
    ...(limits === undefined ? [] : [inspectLimits(limits)]),
    inspectSchema(schema),
    inspectKeys(settings, report),
    inspectClock(report),
  ];
};

/** Checks a SQLite file that must not be opened: opening creates a missing file, and blocks on a pipe. */
const inspectUnopened = (filename: string): CheckResult | undefined => {
  const advice = fileAdvice(filename);
  if (!existsSync(filename)) {
    return advice === undefined
      ? passed('database', `${filename} does not exist yet: the first start creates it`)
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
    })();
    return E.isLeft(report)
      ? [failed('database', failureText(report.left, settings.DATABASE_URL))]
      : resultsOf(settings, report.right);
  } finally {
    await database.close();
  }
};

/** Checks the database, its keys and the clock for `doctor`, without creating a missing file. */
export const inspectData = async (
  settings: Settings,
  isThorough: boolean,
): Promise<ReadonlyArray<CheckResult>> => {
  const { DATABASE_URL: address } = settings;
  const withoutData = (result: CheckResult): ReadonlyArray<CheckResult> => {
    const noKeys = { validKeys: 0, newestKeyCreatedAtMs: undefined };
    return [result, inspectKeys(settings, noKeys), inspectClock(noKeys)];
  };
  const unopened = address._tag === 'Sqlite' ? inspectUnopened(address.filename) : undefined;
  if (unopened !== undefined) return withoutData(unopened);
  try {
    const database = databaseOf(settings)?.openAsFound();
    return database === undefined
      ? withoutData(passed('database', 'memory: keeps animals until the service stops'))
      : await inspectOpened(settings, database, isThorough);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return withoutData(failed('database', failureText(error.failure, address)));
  }
};
