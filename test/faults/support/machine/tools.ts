import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { inTmpfs } from './tmpfs';
import { unreachable } from './unreachable';

const run = promisify(execFile);

/** What some faults are made with. */
export type Tool = 'strace' | 'mount' | 'faketime' | 'routes';

const libraryFolder = '/usr/lib';

/** Where Debian's package `libfaketime` puts its library; undefined where it is not installed. */
export const faketimeLibrary = (): string | undefined =>
  readdirSync(libraryFolder)
    .map((folder) => `${libraryFolder}/${folder}/faketime/libfaketimeMT.so.1`)
    .find((path) => existsSync(path));

const obstacles: Readonly<Record<Tool, () => Promise<string | undefined>>> = {
  strace: () =>
    run('strace', ['-o', '/dev/null', 'true']).then(
      () => undefined,
      () => 'strace is not installed, or may not trace',
    ),
  mount: () =>
    inTmpfs('1m', () => Promise.resolve()).then(
      () => undefined,
      () => 'a tmpfs can not be mounted: that needs root',
    ),
  routes: () =>
    unreachable('127.255.0.0/24', () => Promise.resolve()).then(
      () => undefined,
      () => 'iproute2 is not installed, or routes can not be set: that needs root',
    ),
  faketime: () =>
    Promise.resolve(faketimeLibrary() === undefined ? 'libfaketime is not installed' : undefined),
};

/** The first of the tools that this machine lacks, in words. */
export const findMissing = async (tools: ReadonlyArray<Tool>): Promise<string | undefined> => {
  for (const tool of tools) {
    const obstacle = await obstacles[tool]();
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
};
