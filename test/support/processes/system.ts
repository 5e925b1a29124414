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

/** The processes that a process has started and that run. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(/\s+/)
    .filter((pid) => pid !== '')
    .map(Number);

const signalIfThere = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
};

/** Signals a process and those that it has started; some of them may end meanwhile. */
export const signalFamily = (pid: number, name: NodeJS.Signals): void => {
  const family = existsSync(`/proc/${pid}`) ? [pid, ...childrenOf(pid)] : [];
  for (const each of family) signalIfThere(each, name);
};

/** Some of those that fetch refuses to ask (Fetch, "port blocking"). */
export const portsThatBrowsersBlock = [5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10080];

const listenOnce = async (port: number): Promise<void> => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
};

/** Returns ports below 32768, where Linux begins to take ports for the client side of other connections. */
const portsOfServers = (): ReadonlyArray<number> =>
  Array.from({ length: 50 }, () => randomInt(20_000, 32_000));

/** A port that nothing listened on a moment ago, one of these if any are given. */
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

/** Debian's programs of an administrator are outside the path of other users. */
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

/** Skips the tests of a suite, and says so in a line, if this machine lacks a program that they run. */
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
