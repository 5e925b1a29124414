import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import type { Running } from './command';

export const pidOf = ({ pid }: Running): number => {
  if (pid === undefined) throw new Error('the program was not started');
  return pid;
};

/** Returns the ids of the running child processes of a process. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(/\s+/)
    .filter((pid) => pid !== '')
    .map(Number);

const signalIfThere = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended since its id was read.
  }
};

/** Sends a signal to a process and to its children. Ignores processes that have already ended. */
export const signalFamily = (pid: number, name: NodeJS.Signals): void => {
  const family = existsSync(`/proc/${pid}`) ? [pid, ...childrenOf(pid)] : [];
  for (const each of family) signalIfThere(each, name);
};

/** Ports that browsers and fetch refuse to connect to (Fetch standard, "port blocking"). */
export const portsThatBrowsersBlock = [5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10080];

const listenOnce = async (port: number): Promise<void> => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
};

/** Returns ports below 32768, because Linux assigns higher ports to the client side of connections. */
const portsOfServers = (): ReadonlyArray<number> =>
  Array.from({ length: 50 }, () => randomInt(20_000, 32_000));

/** Returns a port on which nothing listened a moment ago, from `ports` if any are given. */
export const freePort = async (ports: ReadonlyArray<number> = portsOfServers()): Promise<number> => {
  for (const port of ports) {
    try {
      await listenOnce(port);
      return port;
    } catch {
      continue;
    }
  }
  throw new Error('no port is free');
};

/** Adds the folders of programs for administrators, because Debian leaves them out of the PATH of other users. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];

const isInstalled = (program: string): boolean =>
  folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** Skips a suite with a message if this machine lacks a program that the suite runs. */
export const needsPrograms = (...programs: ReadonlyArray<string>): void => {
  before(function () {
    const missing = programs.filter((program) => !isInstalled(program));
    if (missing.length === 0) return;
    process.stdout.write(
      `skipped, since ${missing.join(', ')} is not installed: ${this.currentTest?.parent?.title ?? ''}\n`,
    );
    this.skip();
  });
};
