import { type OwnDatabase, readSchema } from '../../adapters/knex';
import { CommandFailed, orFail, reasonOf } from '../failures';
import type { DatabaseUrl } from '../settings/database-url';
import type { Settings } from '../settings/settings';
import { checkClock, checkConnection, checkKeys, checkSchema, checkServing } from './check-database';
import { canBeCreated, checkFile, checkMount, checkUser } from './check-file';
import { databaseOf } from './database';
import { type CheckName, failed, type Finding, passed } from './finding';
import { mayCreateStore } from './open-database';
import { checkPort } from './port';

/** State of a store. `absent` means that the store does not exist yet, and `unknown` that a check failed earlier. */
type StoreState = 'readable' | 'absent' | 'unknown';

const openReport = (url: DatabaseUrl) => {
  const findings: Array<Finding> = [];
  /**
   * Returns the result of `work`. If `work` throws CommandFailed, adds the failure to the findings and returns
   * undefined.
   */
  const attempt = async <A>(name: CheckName, work: () => A | Promise<A>): Promise<A | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      findings.push(failed(name, reasonOf(error, url)));
      return undefined;
    }
  };
  /** Adds the findings of a check. Returns false if the check threw CommandFailed. */
  const check = async (
    name: CheckName,
    work: () => ReadonlyArray<Finding> | Promise<ReadonlyArray<Finding>>,
  ): Promise<boolean> => {
    const found = await attempt(name, work);
    findings.push(...(found ?? []));
    return found !== undefined;
  };
  return { findings, attempt, check };
};

type Report = ReturnType<typeof openReport>;

const examineFile = async (url: DatabaseUrl, mayCreate: boolean, { check }: Report): Promise<StoreState> => {
  const isUsable = await check('file', () => checkFile(url, { mayCreate }));
  if (url._tag === 'Memory' || (url._tag === 'Sqlite' && canBeCreated(url.filename))) return 'absent';
  return isUsable ? 'readable' : 'unknown';
};

const openDriver = async (
  settings: Settings,
  { findings, attempt }: Report,
): Promise<OwnDatabase | undefined> => {
  if (settings.DATABASE_URL._tag === 'Memory') {
    findings.push(passed('driver', 'memory: keeps animals until the service stops'));
    return undefined;
  }
  // Only loads the driver, because `open` does not yet create a file or connect.
  const database = await attempt<OwnDatabase>('driver', () => databaseOf(settings).open());
  if (database !== undefined) findings.push(passed('driver', 'the driver of the database is installed'));
  return database;
};

const examineDatabase = async (
  database: OwnDatabase | undefined,
  url: DatabaseUrl,
  mayCreate: boolean,
  { attempt, check }: Report,
): Promise<StoreState> => {
  if (database === undefined) return 'unknown';
  if (!(await check('connection', () => checkConnection(database, url)))) return 'unknown';
  const schema = await attempt('schema', () => orFail(readSchema(database)));
  if (schema === undefined) return 'unknown';
  const isUsable = await check('schema', () => checkSchema(schema, mayCreate));
  if (isUsable && schema.generation > 0) await check('clock', () => checkClock(database));
  if (isUsable) await check('rights', () => checkServing(database, schema));
  if (schema.generation === 0) return 'absent';
  return isUsable ? 'readable' : 'unknown';
};

/**
 * Makes all checks of a start of `serve`, and commits only a row in the table `heartbeats`. After a failed check, skips
 * only the checks that depend on it.
 */
export const examineStore = async (settings: Settings): Promise<ReadonlyArray<Finding>> => {
  const { DATABASE_URL: url } = settings;
  const mayCreate = mayCreateStore(settings);
  const report = openReport(url);
  const { findings, check } = report;
  await check('user', () => checkUser(url));
  const fileState = await examineFile(url, mayCreate, report);
  await check('mount', () => checkMount(url, !mayCreate));
  const database = await openDriver(settings, report);
  try {
    const state =
      fileState === 'readable' ? await examineDatabase(database, url, mayCreate, report) : fileState;
    const withKeys = state === 'readable' ? database : undefined;
    if (state !== 'unknown') await check('keys', () => checkKeys(settings, withKeys));
  } finally {
    await database?.close();
  }
  for (const prefix of ['', 'ADMIN_'] as const) await check('port', () => checkPort(settings, prefix));
  return findings;
};
