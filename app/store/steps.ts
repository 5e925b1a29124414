/* Steps that open a store. `doctor` reports the results of all. Other commands stop at the first step that fails. */

import {
  apiKeyStore,
  type OwnDatabase,
  generationMismatch,
  inspectClock,
  inspectConnection,
  migrate,
  migrateExisting,
  readSchema,
  runDoctorChecks,
} from '../../adapters/knex';
import { failureText } from '../failure-text';
import { CommandFailed, orFail } from '../failures';
import { databaseUrlText } from '../settings/database-url';
import type { Settings } from '../settings/settings';
import { counted } from '../terminal/text';
import { databaseOf } from './database';
import { checkFile, checkMount, checkUser } from './file';
import {
  type Check,
  failed,
  type Finding,
  mayCreateStore,
  notInitialized,
  type OpenOptions,
  type Opening,
  passed,
  unusable,
  warned,
} from './opening';
import { tryPort } from './port';

interface Step {
  readonly check: Check;
  readonly run: (opening: Opening) => Promise<ReadonlyArray<Finding>> | ReadonlyArray<Finding>;
  /** Purposes of an opening that takes the step. By default, all openings take it. */
  readonly purposes?: ReadonlyArray<Opening['purpose']>;
  /** True if no statement can run after a failure of the step. */
  readonly isRequired?: true;
}

const loadDriver = async (opening: Opening): Promise<ReadonlyArray<Finding>> => {
  if (opening.settings.DATABASE_URL._tag === 'Memory') {
    opening.lacksStore = true;
    return [passed('driver', 'memory: keeps animals until the service stops')];
  }
  // `open` creates no file and no connection yet.
  opening.database = await databaseOf(opening.settings).open();
  return [passed('driver', 'the driver of the database is installed')];
};

/** Returns the database if statements can run on it, otherwise undefined. */
const readable = ({ database, lacksStore = false, isBlocked = false }: Opening): OwnDatabase | undefined =>
  lacksStore || isBlocked ? undefined : database;

/**
 * Connects to the database for `doctor`. Other commands connect in the next step, which can wait for a migration of
 * another process.
 */
const inspect = async (opening: Opening): Promise<ReadonlyArray<Finding>> => {
  const database = readable(opening);
  if (database === undefined) return [];
  const findings = await orFail(inspectConnection(database));
  const url = databaseUrlText(opening.settings.DATABASE_URL);
  const isDescribed = findings.some(({ isWarning }) => isWarning !== true);
  return [
    ...(isDescribed ? [] : [passed('connection', `${url} can be opened, and has no damage`)]),
    ...findings,
  ];
};

const migrateTables = async (opening: Opening): Promise<ReadonlyArray<Finding>> => {
  const { database, mayCreate, migration } = opening;
  if (database === undefined) return [];
  opening.ranMigrations = await orFail((mayCreate ? migrate : migrateExisting)(database, migration));
  return [];
};

const inspectTables = async (opening: Opening): Promise<ReadonlyArray<Finding>> => {
  const { mayCreate } = opening;
  const database = readable(opening);
  if (database === undefined) return [];
  const schema = await orFail(readSchema(database));
  const mismatch = generationMismatch(schema);
  if (mismatch !== undefined) throw unusable(mismatch);
  opening.lacksStore = schema.generation === 0;
  if (opening.lacksStore && !mayCreate) throw notInitialized();
  opening.schema = schema;
  if (schema.pending.length === 0) return [passed('schema', 'up to date')];
  const names = schema.pending.join(', ');
  return [passed('schema', `pending: ${names}; the next start or \`animal-store migrate\` runs them`)];
};

/** Warns if the clock of this machine is wrong, or that of the database. */
const checkClock = async (opening: Opening): Promise<ReadonlyArray<Finding>> => {
  const database = readable(opening);
  if (database === undefined) return [];
  const fault = await orFail(inspectClock(database));
  return fault === undefined ? [] : [warned('clock', fault)];
};

const slowCommitMs = 500;

const tryServing = async ({ database, schema }: Opening): Promise<ReadonlyArray<Finding>> => {
  if (database === undefined || schema === undefined) return [];
  const commitMs = await orFail(runDoctorChecks(database, schema));
  const commit = commitMs === undefined ? '' : `, and a commit takes ${Math.ceil(commitMs)} ms`;
  const text = `this user may do what \`serve\` does${commit}`;
  return commitMs !== undefined && commitMs > slowCommitMs
    ? [warned('rights', `${text}; the disk of the database or a standby is slow`)]
    : [passed('rights', text)];
};

/**
 * Checks that a valid API key exists. Without one, fails in production. Elsewhere, the first start creates a key, and
 * later starts warn.
 */
const checkKeys = async (opening: Opening): Promise<ReadonlyArray<Finding>> => {
  const { settings, database, lacksStore = false, isBlocked = false } = opening;
  const { API_KEYS, NODE_ENV, DATABASE_URL } = settings;
  if (isBlocked && !lacksStore) return [];
  if (API_KEYS.length > 0) return [passed('keys', `${counted(API_KEYS.length, 'key')} in API_KEYS`)];
  const created = database === undefined || lacksStore ? [] : await orFail(apiKeyStore(database).list);
  const valid = created.filter(({ isValid }) => isValid).length;
  if (valid > 0) return [passed('keys', `${counted(valid, 'valid key')} in the database`)];
  if (NODE_ENV === 'production') throw new CommandFailed({ _tag: 'NoApiKey' });
  if (created.length === 0) return [passed('keys', 'none: the first start creates one')];
  return [warned('keys', failureText({ _tag: 'NoApiKey' }, DATABASE_URL))];
};

const starting: Step['purposes'] = ['serve', 'doctor'];
const commands: Step['purposes'] = ['serve', 'write', 'read'];

const steps: ReadonlyArray<Step> = [
  { check: 'user', run: checkUser, purposes: ['doctor'] },
  { check: 'file', run: checkFile, isRequired: true },
  { check: 'mount', run: checkMount },
  { check: 'driver', run: loadDriver, isRequired: true },
  { check: 'connection', run: inspect, purposes: ['doctor'], isRequired: true },
  { check: 'schema', run: migrateTables, purposes: commands, isRequired: true },
  { check: 'schema', run: inspectTables, purposes: ['doctor'], isRequired: true },
  { check: 'clock', run: checkClock, purposes: starting },
  { check: 'rights', run: tryServing, purposes: ['doctor'] },
  { check: 'keys', run: checkKeys, purposes: starting },
  // `serve` takes these steps when it starts its HTTP servers, and before it creates a database.
  { check: 'port', run: tryPort(''), purposes: ['doctor'] },
  { check: 'port', run: tryPort('ADMIN_'), purposes: ['doctor'] },
];

const stepsFor = (purpose: Opening['purpose']): ReadonlyArray<Step> =>
  steps.filter(({ purposes }) => purposes?.includes(purpose) ?? true);

/**
 * Takes the steps that open a store, and prints their warnings. If a step fails, closes the database and throws.
 * Otherwise the caller must close the database.
 */
export const takeSteps = async (
  settings: Settings,
  purpose: Exclude<Opening['purpose'], 'doctor'>,
  { mayCreate = false, printError, mayRaiseGeneration = false, signal }: OpenOptions,
): Promise<Pick<Opening, 'database' | 'ranMigrations'>> => {
  const migration = { mayRaiseGeneration, signal, onProgress: printError };
  const opening: Opening = { settings, purpose, mayCreate, migration };
  try {
    for (const { run } of stepsFor(purpose)) {
      for (const { ok, isWarning = !ok, text } of await run(opening))
        if (isWarning) printError(`warning: ${text}`);
    }
    return opening;
  } catch (error) {
    await opening.database?.close();
    throw error;
  }
};

/**
 * Tries all steps for `doctor`, and changes only the heartbeat. After a failure, skips only what can't run because of
 * it.
 */
export const trySteps = async (settings: Settings): Promise<ReadonlyArray<Finding>> => {
  const mayCreate = mayCreateStore(settings);
  const opening: Opening = { settings, purpose: 'doctor', mayCreate, migration: {} };
  const findings: Array<Finding> = [];
  try {
    for (const { check, run, isRequired = false } of stepsFor('doctor')) {
      try {
        findings.push(...(await run(opening)));
      } catch (error) {
        if (!(error instanceof CommandFailed)) throw error;
        findings.push(failed(check, failureText(error.failure, settings.DATABASE_URL)));
        opening.isBlocked ||= isRequired;
      }
    }
  } finally {
    await opening.database?.close();
  }
  return findings;
};
