/* Stages of a start. A start stops at the first that fails, and `doctor` runs all that change nothing. */

import type { OpenedDatabase } from '../../adapters/knex';
import { CommandFailed, reasonOf } from '../failures';
import { isProduction, type Settings } from '../settings/settings';
import type { PrintMessage } from '../terminal/terminal';
import {
  checkAnimals,
  checkClock,
  checkConnection,
  checkDisk,
  checkDriver,
  checkKeys,
  checkQuota,
  checkRights,
  checkSchema,
} from './checks/check-database';
import { checkFile, checkMount, checkUser } from './checks/check-file';
import { checkPorts, requireFreePorts } from './checks/check-ports';
import { type CheckName, failed, type Finding, type Findings } from './checks/finding';
import { prepareStart, type Start, type StartOptions } from './checks/start';

/**
 * Opens and migrates the database of DATABASE_URL, which the caller must close. Prints warnings. Throws CommandFailed
 * at the first stage that fails, or if DATABASE_URL is `memory:`.
 */
export const openDatabase = async (
  settings: Settings,
  purpose: 'serve' | 'write' | 'read',
  options: StartOptions,
): Promise<{ readonly database: OpenedDatabase; readonly ranMigrations: ReadonlyArray<string> }> => {
  const start = prepareStart(settings, purpose, options);
  try {
    await runStart(start, options.printMessage);
    return { database: await start.open(), ranMigrations: await start.migrate() };
  } catch (error) {
    await start.close();
    throw error;
  }
};

/** Runs the stages of a start, and prints warnings. Throws CommandFailed at the first stage that fails. */
export const runStart = async (start: Start, printMessage: PrintMessage): Promise<void> => {
  for (const { appliesTo, run } of stages) {
    if (!appliesTo(start)) continue;
    for (const { severity, text } of await run(start, new Set()))
      if (severity !== 'passed') printMessage(text, 'warning');
  }
};

/**
 * Returns the findings about a start of `serve`. Commits only a row in the table `heartbeats`. Goes on after a failed
 * stage, and skips the stages that need it.
 */
export const examineStore = async (settings: Settings): Promise<Findings> => {
  const start = prepareStart(settings, 'doctor', {
    mayCreate: !isProduction(settings),
    printMessage: () => undefined,
  });
  const findings: Array<Finding> = [];
  const passedStages = new Set<CheckName>();
  try {
    for (const { name, needs = [], appliesTo, run } of stages) {
      if (!appliesTo(start)) passedStages.add(name);
      else if (needs.every((need) => passedStages.has(need)))
        try {
          findings.push(...(await run(start, passedStages)));
          passedStages.add(name);
        } catch (error) {
          if (!(error instanceof CommandFailed)) throw error;
          const text = reasonOf(error, settings.DATABASE_URL);
          // Adds a text only once, because one fault can make several stages fail.
          if (!findings.some((finding) => finding.text === text)) findings.push(failed(name, text));
        }
    }
    return findings;
  } finally {
    await start.close();
  }
};

interface Stage {
  readonly name: CheckName;
  /** Stages that must have passed in `doctor`. A stage that does not apply counts as passed. */
  readonly needs?: ReadonlyArray<CheckName>;
  readonly appliesTo: (start: Start) => boolean;
  /** Returns findings, of which a start prints warnings and failures. Throws CommandFailed to end the start. */
  readonly run: (start: Start, passedStages: ReadonlySet<CheckName>) => Findings | Promise<Findings>;
}

const isDoctor = ({ purpose }: Start): boolean => purpose === 'doctor';
const isOnSqlite = ({ settings }: Start): boolean => settings.DATABASE_URL._tag === 'Sqlite';
const isOnPostgres = ({ settings }: Start): boolean => settings.DATABASE_URL._tag === 'Postgres';
const isDoctorOnDatabase = (start: Start): boolean => isDoctor(start) && start.hasDatabase;
const isServe = ({ purpose }: Start): boolean => purpose === 'serve';

/** Stages, in the order in which a start runs them and `doctor` prints them. */
const stages: ReadonlyArray<Stage> = [
  {
    // Checks the ports before a start creates a file. Other starts skip this stage, because it listens for a moment. A
    // proxy could connect then, and its requests would fail instead of going to another instance.
    name: 'port',
    appliesTo: (start) => isServe(start) && start.mayCreate && start.isNewFile,
    run: requireFreePorts,
  },
  { name: 'user', appliesTo: isDoctor, run: checkUser },
  { name: 'file', appliesTo: isOnSqlite, run: checkFile },
  { name: 'mount', appliesTo: isOnSqlite, run: checkMount },
  { name: 'driver', appliesTo: () => true, run: checkDriver },
  {
    name: 'migration',
    appliesTo: (start) => !isDoctor(start) && start.hasDatabase,
    run: async ({ migrate }) => {
      await migrate();
      return [];
    },
  },
  {
    // Applies to SQLite only in `doctor`, because the check for damage reads the whole file.
    name: 'connection',
    needs: ['file', 'driver'],
    appliesTo: (start) => isDoctorOnDatabase(start) || (isServe(start) && isOnPostgres(start)),
    run: checkConnection,
  },
  {
    name: 'disk',
    needs: ['connection'],
    appliesTo: (start) => isDoctorOnDatabase(start) || (isServe(start) && isOnSqlite(start)),
    run: checkDisk,
  },
  { name: 'schema', needs: ['connection'], appliesTo: isDoctorOnDatabase, run: checkSchema },
  {
    name: 'clock',
    needs: ['schema'],
    appliesTo: (start) => (isDoctor(start) || isServe(start)) && start.hasDatabase,
    run: checkClock,
  },
  { name: 'rights', needs: ['schema'], appliesTo: isDoctorOnDatabase, run: checkRights },
  { name: 'animals', needs: ['rights'], appliesTo: isDoctorOnDatabase, run: checkAnimals },
  { name: 'quota', needs: ['schema'], appliesTo: isDoctorOnDatabase, run: checkQuota },
  {
    name: 'keys',
    needs: ['connection'],
    appliesTo: (start) => isDoctor(start) || isServe(start),
    run: checkKeys,
  },
  { name: 'port', appliesTo: isDoctor, run: checkPorts },
];
