import { pipe } from 'fp-ts/function';
import type * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import { existsSync, statSync } from 'node:fs';
import {
  type DatabaseReport,
  generationMismatch,
  inspectDatabase,
  type Limits,
  type SchemaState,
} from '../../adapters/knex';
import { databaseOf } from '../backend/database-of';
import { fileAdvice } from '../failures/database-advice';
import { startFailureText } from '../failures/start-failure';
import { databaseAddressText } from '../settings/database-address-text';
import type { Settings } from '../settings/settings';
import { type CheckResult, failed, passed } from './check-result';

/** In milliseconds: clocks of several machines differ by a little. */
const clockTolerance = 60_000;

const inspectKeys = (
  { API_KEYS, DATABASE_URL, NODE_ENV }: Settings,
  { validKeys, newestKey }: Pick<DatabaseReport, 'validKeys' | 'newestKey'>,
): CheckResult => {
  if (API_KEYS.length > 0) return passed('keys', `${API_KEYS.length} in API_KEYS`);
  if (validKeys > 0) return passed('keys', `${validKeys} valid in the database`);
  return NODE_ENV === 'production' || newestKey > 0
    ? failed('keys', startFailureText({ _tag: 'NoApiKey' }, DATABASE_URL))
    : passed('keys', 'none: the first start makes one');
};

const inspectClock = (newestKey: number): CheckResult => {
  const now = new Date();
  return newestKey <= now.getTime() + clockTolerance
    ? passed('clock', now.toISOString())
    : failed('clock', `${now.toISOString()} is before a key was made: set this machine's clock`);
};

const inspectLimits = ({ areKept, text, remedy }: Limits): CheckResult =>
  areKept ? passed('limits', text) : failed('limits', `${text}: one who hangs can hold up others: ${remedy}`);

const inspectSchema = (schema: SchemaState): CheckResult => {
  const { pending, unknown } = schema;
  const mismatch = generationMismatch(schema);
  if (mismatch !== undefined) return failed('migrations', mismatch);
  if (pending.length > 0) {
    return passed('migrations', `${pending.join(', ')} to run: the next start or \`migrate\` does it`);
  }
  return passed(
    'migrations',
    unknown.length === 0 ? 'up to date' : `up to date; ${unknown.join(', ')} of a newer version add to it`,
  );
};

const resultsOf =
  (settings: Settings) =>
  ({ schema, durability, limits, ...keys }: DatabaseReport): ReadonlyArray<CheckResult> => [
    passed('database', `${databaseAddressText(settings.DATABASE_URL)} reads and writes`),
    durability.isDurable
      ? passed('durability', durability.text)
      : failed('durability', `${durability.text} can lose an animal: ${durability.remedy}`),
    ...(limits === undefined ? [] : [inspectLimits(limits)]),
    inspectSchema(schema),
    inspectKeys(settings, keys),
    inspectClock(keys.newestKey),
  ];

/** A file that is not there is not made. */
const inspectMissingFile = (filename: string): CheckResult => {
  const advice = fileAdvice(filename);
  return advice === undefined
    ? passed('database', `${filename} is not there yet: the first start makes it`)
    : failed('database', `${filename} can't be made: ${advice}`);
};

/** A folder, or a pipe, which would keep who opens it waiting. */
const inspectNoFile = (filename: string): CheckResult =>
  failed('database', `${filename} can't be opened: ${fileAdvice(filename) ?? 'it is no regular file'}`);

/** Whether the data can be reached, written and kept, and whether anyone can get at it. */
export const inspectData =
  (settings: Settings, isThorough: boolean): T.Task<ReadonlyArray<CheckResult>> =>
  async () => {
    const { DATABASE_URL: address } = settings;
    const withoutData = (found: CheckResult) => [
      found,
      inspectKeys(settings, { validKeys: 0, newestKey: 0 }),
      inspectClock(0),
    ];
    if (address._tag === 'Sqlite') {
      const { filename } = address;
      if (!existsSync(filename)) return withoutData(inspectMissingFile(filename));
      if (!statSync(filename).isFile()) return withoutData(inspectNoFile(filename));
    }
    const database = databaseOf(settings)?.openAsFound();
    if (database === undefined) {
      return withoutData(passed('database', 'memory: keeps animals until the service stops'));
    }
    const inspect = pipe(
      inspectDatabase(database, isThorough),
      TE.match((failure) => [failed('database', startFailureText(failure, address))], resultsOf(settings)),
    );
    return inspect().finally(database.close);
  };
