import * as E from 'fp-ts/Either';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { type DatabaseReport, generationMismatch, inspectDatabase, type SchemaState } from '../adapters/knex';
import { invalidFieldTexts } from '../core';
import { databaseOf, mayCreateStore } from './store/open-store';
import { fileAdvice, mountAdvice, ownerOf, userName } from './store/file';
import { databaseUrlText } from './settings/database-url';
import { errorCode } from './error-code';
import { CommandFailed, failureText, orFail } from './failures';
import { misspeltSettings, settingWarnings } from './settings/warnings';
import { changedSettings, readSettings, type Settings } from './settings/settings';
import { counted } from './terminal/text';

/** Result of one check of the command `doctor`, which commands/doctor.ts prints. */
export interface CheckResult {
  readonly check: string;
  readonly ok: boolean;
  readonly isWarning?: true;
  readonly text: string;
}

const passed = (check: string, text: string): CheckResult => ({ check, ok: true, text });

const failed = (check: string, text: string): CheckResult => ({ check, ok: false, text });

const warned = (check: string, text: string): CheckResult => ({ check, ok: true, isWarning: true, text });

/**
 * Fails if the file or its folder belongs to another user. Compares owners, because root can open every file, even one
 * that the user of the service can't open.
 */
const inspectUser = ({ DATABASE_URL: url }: Settings): CheckResult => {
  const uid = process.getuid?.();
  const user = `this command runs as ${uid === undefined ? 'an unknown user' : userName(uid)}`;
  if (uid === undefined || url._tag !== 'Sqlite') return passed('user', user);
  const file = resolve(url.filename);
  const foreign = [file, dirname(file)].find((path) => existsSync(path) && statSync(path).uid !== uid);
  if (foreign === undefined) return passed('user', user);
  const remedy = 'run it as the user of the service, to whom the file and its folder must belong';
  return failed('user', `${user}, but ${foreign} belongs to ${ownerOf(foreign)}; ${remedy}`);
};

/** Checks that `serve` can listen on a port. A port in use only causes a warning, because the service may run. */
const inspectPort = async (
  { DATABASE_URL }: Settings,
  host: string,
  port: number,
  prefix: '' | 'ADMIN_',
): Promise<CheckResult> => {
  const place = `${prefix}PORT ${port} on ${host}`;
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return passed('port', `${place} is free`);
  } catch (cause) {
    return errorCode(cause) === 'EADDRINUSE'
      ? warned(
          'port',
          `${place} is in use; if another program than the service listens there, \`serve\` fails until you stop it or set ${prefix}PORT`,
        )
      : failed('port', failureText({ _tag: 'CannotListen', cause, prefix }, DATABASE_URL));
  } finally {
    server.close();
  }
};

const inspectPorts = (settings: Settings): Promise<ReadonlyArray<CheckResult>> => {
  const { HOST, PORT, ADMIN_HOST, ADMIN_PORT } = settings;
  return Promise.all([
    inspectPort(settings, HOST, PORT, ''),
    ...(ADMIN_PORT === undefined ? [] : [inspectPort(settings, ADMIN_HOST, ADMIN_PORT, 'ADMIN_')]),
  ]);
};

/** Fails in production, where `serve` refuses to start, if the log of a SQLite file would be on another volume. */
const inspectMount = ({ DATABASE_URL: url, NODE_ENV }: Settings): ReadonlyArray<CheckResult> => {
  const advice = url._tag === 'Sqlite' ? mountAdvice(url.filename) : undefined;
  if (advice === undefined) return [];
  return [NODE_ENV === 'production' ? failed('database', advice) : warned('database', advice)];
};

const noKeys = { issuedKeys: 0, validKeys: 0 };

const inspectKeys = (
  { API_KEYS, DATABASE_URL, NODE_ENV }: Settings,
  { issuedKeys, validKeys }: Pick<DatabaseReport, 'issuedKeys' | 'validKeys'>,
): CheckResult => {
  if (API_KEYS.length > 0) return passed('keys', `${counted(API_KEYS.length, 'key')} in API_KEYS`);
  if (validKeys > 0) return passed('keys', `${counted(validKeys, 'valid key')} in the database`);
  return NODE_ENV === 'production' || issuedKeys > 0
    ? failed('keys', failureText({ _tag: 'NoApiKey' }, DATABASE_URL))
    : passed('keys', 'none: the first start creates one');
};

const inspectSchema = (schema: SchemaState): CheckResult => {
  const mismatch = generationMismatch(schema);
  if (mismatch !== undefined) return failed('migrations', mismatch);
  if (schema.pending.length === 0) return passed('migrations', 'up to date');
  const names = schema.pending.join(', ');
  return passed('migrations', `pending: ${names}; the next start or \`animal-store migrate\` runs them`);
};

const missingStore = ({ DATABASE_URL }: Settings): CheckResult =>
  failed('database', failureText({ _tag: 'NotInitialized' }, DATABASE_URL));

/**
 * Checks a path that `doctor` must not open, because opening it would create a missing file, or block on a pipe.
 * Returns undefined if the database can be opened.
 */
const inspectUnopened = (settings: Settings): CheckResult | undefined => {
  const { DATABASE_URL: url } = settings;
  if (url._tag !== 'Sqlite') return undefined;
  const advice = fileAdvice(url.filename);
  if (advice !== undefined) return failed('database', `${url.filename} can't be used: ${advice}`);
  if (existsSync(url.filename)) return undefined;
  return mayCreateStore(settings)
    ? passed('database', `${url.filename} does not exist yet; the first start creates it`)
    : missingStore(settings);
};

const inspectData = async (settings: Settings): Promise<ReadonlyArray<CheckResult>> => {
  const { DATABASE_URL: url } = settings;
  const unopened = inspectUnopened(settings);
  if (unopened !== undefined) return [unopened, inspectKeys(settings, noKeys)];
  if (url._tag === 'Memory')
    return [
      passed('database', 'memory: keeps animals until the service stops'),
      inspectKeys(settings, noKeys),
    ];
  try {
    const database = await databaseOf(settings).open();
    const report = await orFail(inspectDatabase(database)).finally(database.close);
    if (report.schema.generation === 0 && !mayCreateStore(settings)) return [missingStore(settings)];
    return [
      passed('database', `${databaseUrlText(url)} can be read and written`),
      ...report.findings,
      inspectSchema(report.schema),
      inspectKeys(settings, report),
    ];
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return [failed('database', failureText(error.failure, url))];
  }
};

/** Runs all checks of the command `doctor`. */
export const diagnose = async (
  environment: NodeJS.ReadOnlyDict<string>,
): Promise<ReadonlyArray<CheckResult>> => {
  const read = readSettings(environment);
  if (E.isLeft(read)) {
    return [
      ...invalidFieldTexts(read.left).map((text) => failed('settings', text)),
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
    ...(await inspectData(settings)),
  ];
};
