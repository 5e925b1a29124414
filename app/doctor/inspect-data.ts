import { pipe } from 'fp-ts/function';
import type * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import { existsSync } from 'node:fs';
import {
  type DatabaseAsFound,
  type DatabaseReport,
  generationObstacle,
  inspectDatabase,
  type Limits,
  type SchemaState,
} from '../../adapters/knex';
import { databaseOf } from '../backend/database-of';
import { fileObstacle } from '../failures/database-advice';
import { databaseFailed, startFailureText } from '../failures/start-failure';
import { databaseAddressText } from '../settings/database-address-text';
import type { Settings } from '../settings/settings';
import { finding, type Finding } from './check-result';

/** In milliseconds: clocks of several machines differ by a little. */
const clockTolerance = 60_000;

const inspectKeys = ({ API_KEYS, NODE_ENV }: Settings, validKeys: number): Finding => {
  if (API_KEYS.length > 0) return finding('keys', true, `${API_KEYS.length} in API_KEYS`);
  if (validKeys > 0) return finding('keys', true, `${validKeys} valid in the database`);
  return NODE_ENV === 'production'
    ? finding('keys', false, startFailureText({ _tag: 'NoApiKey' }))
    : finding('keys', true, 'none that is valid: where none ever was, the first start makes one');
};

const inspectClock = (newestKey: number): Finding => {
  const now = new Date();
  return newestKey <= now.getTime() + clockTolerance
    ? finding('clock', true, now.toISOString())
    : finding('clock', false, `${now.toISOString()} is before a key was made: set this machine's clock`);
};

const inspectLimits = ({ areKept, text, remedy }: Limits): Finding =>
  areKept
    ? finding('limits', true, text)
    : finding('limits', false, `${text}: one who hangs can hold up others: ${remedy}`);

const inspectSchema = (schema: SchemaState): Finding => {
  const { pending, unknown } = schema;
  const obstacle = generationObstacle(schema);
  if (obstacle !== undefined) return finding('migrations', false, obstacle);
  if (pending.length > 0) {
    return finding('migrations', true, `${pending.join(', ')} to run: the next start or \`migrate\` does it`);
  }
  return finding(
    'migrations',
    true,
    unknown.length === 0 ? 'up to date' : `up to date; ${unknown.join(', ')} of a newer version add to it`,
  );
};

const findingsOf =
  (settings: Settings) =>
  ({ schema, durability, limits, validKeys, newestKey }: DatabaseReport): ReadonlyArray<Finding> => [
    finding('database', true, `${databaseAddressText(settings.DATABASE_URL)} reads and writes`),
    durability.isDurable
      ? finding('durability', true, durability.text)
      : finding('durability', false, `${durability.text} can lose an animal: ${durability.remedy}`),
    ...(limits === undefined ? [] : [inspectLimits(limits)]),
    inspectSchema(schema),
    inspectKeys(settings, validKeys),
    inspectClock(newestKey),
  ];

/** A file that is not there is not made. */
const inspectMissingFile = (filename: string): Finding => {
  const obstacle = fileObstacle(filename);
  return obstacle === undefined
    ? finding('database', true, `${filename} is not there yet: the first start makes it`)
    : finding('database', false, `${filename} can't be made: ${obstacle}`);
};

const inspect = (
  database: DatabaseAsFound,
  settings: Settings,
  isThorough: boolean,
): T.Task<ReadonlyArray<Finding>> =>
  pipe(
    inspectDatabase(database, isThorough),
    TE.mapLeft((failure) => startFailureText(databaseFailed(failure), settings.DATABASE_URL)),
    TE.match((text) => [finding('database', false, text)], findingsOf(settings)),
  );

/** Whether the data can be reached, written and kept, and whether anyone can get at it. */
export const inspectData = (settings: Settings, isThorough: boolean): T.Task<ReadonlyArray<Finding>> => {
  const withoutData = (found: Finding) => [found, inspectKeys(settings, 0), inspectClock(0)];
  return async () => {
    const { DATABASE_URL: address } = settings;
    if (address._tag === 'Sqlite' && !existsSync(address.filename)) {
      return withoutData(inspectMissingFile(address.filename));
    }
    const named = databaseOf(settings);
    if (named === undefined) {
      return withoutData(finding('database', true, 'memory: keeps animals until the service stops'));
    }
    const database = named.openAsFound();
    return inspect(database, settings, isThorough)().finally(database.close);
  };
};
