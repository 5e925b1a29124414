import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { readVersion } from '../../../app/version';

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Environment = Readonly<Record<string, string>>;

export interface Running {
  /** Process id; undefined if the program could not be started. */
  readonly pid: number | undefined;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Calls a listener when the process writes something, and when it ends. */
  readonly onChange: (listener: () => void) => void;
  /** Standard input of the process. It is empty, unless `isFed` is set. */
  readonly stdin: Writable;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly ended: Promise<Outcome>;
}

interface Options {
  readonly environment?: Environment;
  readonly folder?: string;
  /** True if the test writes to standard input and ends it. */
  readonly isFed?: boolean;
}

export const projectFolder = join(__dirname, '..', '..', '..');

/** Main file of the built command line. */
export const main = join(projectFolder, 'dist', 'app', 'main.js');

/** Returns the version that the built command line prints. */
export const builtVersion = (): string =>
  `${readVersion()}+${readFileSync(join(projectFolder, 'dist', 'sources.sha256'), 'utf8').slice(0, 8)}`;

let isCurrent = false;

/** Throws if `dist` is older than its sources. */
export const requireCurrentBuild = (): void => {
  if (isCurrent) return;
  const build = join(projectFolder, 'deploy', 'packages', 'build.mjs');
  const { status, stderr } = spawnSync(process.execPath, [build, '--check'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr.trim());
  isCurrent = true;
};

const children = new Set<ChildProcess>();

/** Kills the programs that failed tests have left running. */
export const killPrograms = async (): Promise<void> => {
  const left = [...children];
  for (const child of left) child.kill('SIGKILL');
  await Promise.all(left.map((child) => once(child, 'close')));
};

/** Starts a program with the given environment and PATH, but without other variables of this process. */
export const startProgram = (
  program: string,
  programArguments: ReadonlyArray<string>,
  { environment = {}, folder = projectFolder, isFed = false }: Options = {},
): Running => {
  if (programArguments.some((word) => word.includes(main))) requireCurrentBuild();
  const child = spawn(program, programArguments, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  if (!isFed) child.stdin.end();
  children.add(child);
  child.once('close', () => children.delete(child));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  return {
    stdin: child.stdin,
    pid: child.pid,
    stdout: () => stdout,
    stderr: () => stderr,
    onChange: (listener) => {
      child.stdout.on('data', listener);
      child.stderr.on('data', listener);
      child.on('close', listener);
    },
    signal: (name) => {
      child.kill(name);
    },
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        resolve({ code, signal, stdout, stderr });
      });
    }),
  };
};

export const startCommand = (
  commandArguments: ReadonlyArray<string>,
  environment: Environment = {},
  folder: string = projectFolder,
): Running => startProgram(process.execPath, [main, ...commandArguments], { environment, folder });

/** Runs the built command line until it ends. */
export const runCommand = (
  commandArguments: ReadonlyArray<string>,
  environment: Environment = {},
  folder: string = projectFolder,
): Promise<Outcome> => startCommand(commandArguments, environment, folder).ended;

/** Runs a shell command as a user would, with the npm settings of this user. */
export const shell = (folder: string, command: string, environment: Environment = {}): Promise<Outcome> =>
  startProgram('sh', ['-c', command], {
    folder,
    environment: {
      HOME: homedir(),
      NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] ?? '',
      ...environment,
    },
  }).ended;

export const unprivilegedUser = 65_534;

/** Starts a program as a user who is not root: as `unprivilegedUser`, if the tests run as root. */
export const startUnprivileged = (
  command: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  folder?: string,
): Running => {
  const asNobody = [`--reuid=${unprivilegedUser}`, `--regid=${unprivilegedUser}`, '--clear-groups'];
  return startProgram('setpriv', [...(process.getuid?.() === 0 ? asNobody : []), ...command], {
    environment,
    ...(folder !== undefined && { folder }),
  });
};

export const runUnprivileged = (
  command: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  folder?: string,
): Promise<Outcome> => startUnprivileged(command, environment, folder).ended;

/** Skips a test that runs `dist/app/main.js` as a user who is not root, if that user can't read the file. */
export const needsReadableBuild = async (test: Mocha.Context): Promise<void> => {
  const readable = await runUnprivileged(['test', '-r', main]).catch(() => undefined);
  if (readable?.code !== 0) test.skip();
};

/** Removes the line with the name of the database, which commands print on standard error. */
export const withoutDatabaseLine = <A extends { readonly stderr: string }>(outcome: A): A => ({
  ...outcome,
  stderr: outcome.stderr.replace(/^database: .*\n/m, ''),
});
