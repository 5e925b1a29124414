import type { OpenedDatabase } from '../../../adapters/knex';
import { CommandFailed, reasonOf } from '../../failures';
import type { DatabaseUrl } from '../../settings/database-url';
import { mayCreateStore, type Settings } from '../../settings/settings';
import { databaseOf } from '../database';
import { checkedStoreOf, databaseChecks } from './check-database';
import { canBeCreated, checkFile, checkMount, checkUser } from './check-file';
import { checkKeys } from './check-keys';
import { type CheckName, failed, type Finding, passed } from './finding';
import { checkListenAddress } from './check-listen-address';

type RunCheck = (
  name: CheckName,
  run: () => ReadonlyArray<Finding> | Promise<ReadonlyArray<Finding>>,
) => Promise<boolean>;

/** Makes a list of findings, and a function that adds the findings of a check and returns whether it passed. */
const openReport = (url: DatabaseUrl) => {
  const findings: Array<Finding> = [];
  const check: RunCheck = async (name, run) => {
    try {
      findings.push(...(await run()));
      return true;
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      const text = reasonOf(error, url);
      // Adds a text only once, because one fault can make several checks fail.
      if (!findings.some((finding) => finding.text === text)) findings.push(failed(name, text));
      return false;
    }
  };
  return { findings, check };
};

/** Checks a database. Returns true if the database has no tables yet. */
const examineDatabase = async (
  database: OpenedDatabase,
  settings: Settings,
  check: RunCheck,
): Promise<boolean> => {
  const store = checkedStoreOf(database, settings);
  const passedChecks = new Set<CheckName>();
  for (const { name, needs, run } of databaseChecks) {
    if (needs !== undefined && !passedChecks.has(needs)) continue;
    if (await check(name, () => run(store))) passedChecks.add(name);
  }
  return passedChecks.has('schema') && (await store.readSchema()).generation === 0;
};

/**
 * Makes all checks of a start of `serve`, and commits only a row in the table `heartbeats`. After a failed check, skips
 * only the checks that depend on it.
 */
export const examineStore = async (settings: Settings): Promise<ReadonlyArray<Finding>> => {
  const { DATABASE_URL: url } = settings;
  const mayCreate = mayCreateStore(settings);
  const { findings, check } = openReport(url);
  await check('user', () => checkUser(url));
  const isFileUsable = await check('file', () => checkFile(url, { mayCreate }));
  await check('mount', () => checkMount(url, !mayCreate));
  let database: OpenedDatabase | undefined;
  await check('driver', async () => {
    if (url._tag === 'Memory') return [passed('driver', 'memory: keeps animals until the service stops')];
    // Only loads the driver, because `open` does not yet create a file or connect.
    database = await databaseOf(settings).open();
    return [passed('driver', 'the driver of the database is installed')];
  });
  let isNewStore = url._tag === 'Sqlite' && canBeCreated(url.filename);
  try {
    if (url._tag === 'Memory' || isNewStore) await check('keys', () => checkKeys(settings, undefined));
    else if (isFileUsable && database !== undefined)
      isNewStore = await examineDatabase(database, settings, check);
  } finally {
    await database?.close();
  }
  for (const prefix of ['', 'ADMIN_'] as const)
    await check('port', () => checkListenAddress(settings, prefix, isNewStore));
  return findings;
};
