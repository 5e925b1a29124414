import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually';
import { freePort } from '../processes/free-port';
import { execute } from './postgres';
import { runUnprivileged } from '../processes/run-unprivileged';

/** A PostgreSQL whose server and tools are of one version: that of the other tests comes without tools. */
export interface InstalledPostgres {
  readonly url: string;
  /** The path of one of its programs. */
  readonly program: (name: string) => string;
}

/** Where Debian's packages put a version's programs. */
const versions = '/usr/lib/postgresql';

const wanted = ['initdb', 'postgres', 'pg_dump', 'pg_restore'] as const;

/** The folder of the programs of the newest version that is installed whole; undefined where none is. */
export const installedPrograms = (): string | undefined =>
  (existsSync(versions) ? readdirSync(versions) : [])
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(versions, version, 'bin'))
    .find((folder) => wanted.every((name) => existsSync(join(folder, name))));

const answers = async (url: string): Promise<boolean> => {
  try {
    await execute(url, 'select 1');
    return true;
  } catch {
    return false;
  }
};

/** Starts its server for one test, as a user who is not root. */
export const withInstalledPostgres = async (
  programs: string,
  use: (postgres: InstalledPostgres) => Promise<void>,
): Promise<void> => {
  const program = (name: string): string => join(programs, name);
  const [data, port] = [await mkdtemp(join(tmpdir(), 'animal-store-postgres-')), await freePort()];
  const asNobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (asNobody.uid !== undefined) await chown(data, asNobody.uid, asNobody.gid);
  try {
    const { code, stderr } = await runUnprivileged([
      ...[program('initdb'), '--no-sync', '--username=postgres', '--auth=trust'],
      ...['--encoding=UTF8', '--locale=C', `--pgdata=${data}`],
    ]);
    if (code !== 0) throw new Error(stderr);
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
    const server = spawn(
      program('postgres'),
      ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      { ...asNobody, stdio: 'ignore' },
    );
    const ended = once(server, 'exit');
    try {
      const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
      await eventually('the server answers', 60_000, () => answers(url));
      await use({ url, program });
    } finally {
      // Its immediate shutdown.
      server.kill('SIGQUIT');
      await ended;
    }
  } finally {
    await rm(data, { recursive: true, force: true });
  }
};
