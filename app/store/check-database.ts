/* Checks an open database and its API keys. Each check returns findings, or throws CommandFailed. */

import * as E from 'fp-ts/Either';
import {
  apiKeyStore,
  errorKindOf,
  generationMismatch,
  inspectClock,
  inspectConnection,
  type OwnDatabase,
  runDoctorChecks,
  type SchemaState,
  tryCreateKey,
} from '../../adapters/knex';
import { CommandFailed, notInitialized, orFail, reasonOf, unusable } from '../failures';
import { type DatabaseUrl, databaseUrlText } from '../settings/database-url';
import type { Settings } from '../settings/settings';
import { counted } from '../terminal/text';
import { roomFinding } from './advice';
import { type Finding, passed, warned } from './finding';

type Findings = Promise<ReadonlyArray<Finding>>;

export const checkConnection = async (database: OwnDatabase, url: DatabaseUrl): Findings => {
  const findings = (await orFail(inspectConnection(database))).map((finding) =>
    finding.check === 'room' ? roomFinding(finding) : finding,
  );
  const isDescribed = findings.some(({ isWarning }) => isWarning !== true);
  const intact = passed('connection', `${databaseUrlText(url)} can be opened, and has no damage`);
  return isDescribed ? findings : [intact, ...findings];
};

/** Returns the faults of a PostgreSQL server. They make `doctor` fail, but `serve` only warns of them. */
export const checkServer = async (database: OwnDatabase): Findings => {
  if (database.engine !== 'PostgreSQL') return [];
  const findings = await orFail(inspectConnection(database));
  return findings.flatMap((finding) => (finding.check === 'room' || finding.ok ? [] : [finding]));
};

export const checkSchema = (schema: SchemaState, mayCreate: boolean): ReadonlyArray<Finding> => {
  const mismatch = generationMismatch(schema);
  if (mismatch !== undefined) throw unusable(mismatch);
  if (schema.generation === 0 && !mayCreate) throw notInitialized();
  if (schema.pending.length === 0) return [passed('schema', 'up to date')];
  const names = schema.pending.join(', ');
  return [passed('schema', `pending: ${names}; the next start or \`animal-store migrate\` runs them`)];
};

/** Warns if the clocks of this machine and of the database differ. */
export const checkClock = async (database: OwnDatabase): Findings => {
  const fault = await orFail(inspectClock(database));
  return fault === undefined ? [] : [warned('clock', fault)];
};

const slowCommitMs = 500;

export const checkServing = async (database: OwnDatabase, schema: SchemaState): Findings => {
  const commitMs = await orFail(runDoctorChecks(database, schema));
  const commit = commitMs === undefined ? '' : `, and a commit takes ${Math.ceil(commitMs)} ms`;
  const text = `this user may do what \`serve\` does${commit}`;
  return commitMs !== undefined && commitMs > slowCommitMs
    ? [warned('rights', `${text}; the disk of the database or a standby is slow`)]
    : [passed('rights', text)];
};

/**
 * Checks that a valid API key exists. Without one, throws in production. Elsewhere, passes if the next start can create
 * the first key, throws if the role may not create it, and warns if all created keys are invalid. `database` is
 * undefined before its tables exist.
 */
export const checkKeys = async (
  { API_KEYS, NODE_ENV, DATABASE_URL }: Settings,
  database: OwnDatabase | undefined,
): Findings => {
  if (API_KEYS.length > 0) return [passed('keys', `${counted(API_KEYS.length, 'key')} in API_KEYS`)];
  const created = database === undefined ? [] : await orFail(apiKeyStore(database).list);
  const valid = created.filter(({ isValid }) => isValid).length;
  if (valid > 0) return [passed('keys', `${counted(valid, 'valid key')} in the database`)];
  const failure = new CommandFailed({ _tag: 'NoApiKey' });
  if (NODE_ENV === 'production') throw failure;
  if (created.length === 0) {
    const trial = database === undefined ? E.right(undefined) : await tryCreateKey(database)();
    if (E.isLeft(trial) && errorKindOf(trial.left.cause) === 'NoRight') throw failure;
    return [passed('keys', 'none: the first start creates one')];
  }
  return [warned('keys', reasonOf(failure, DATABASE_URL))];
};
