import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually';
import { execute } from '../support/postgres/postgres';
import { isRefused } from '../support/http/client';
import { main, projectFolder } from '../support/processes/command';
import { freePort } from '../support/processes/system';
import { makeFolder } from '../support/temporary-folder';

const runProgram = promisify(execFile);

/** Returns CITUS_SCRIPT, or the path of the script next to the checkout. Undefined if it does not exist. */
export const citusScript = (): string | undefined => {
  const { CITUS_SCRIPT: script = join(projectFolder, '..', 'shared', 'engines', 'citus.sh') } = process.env;
  return existsSync(script) ? script : undefined;
};

/** Returns the first of three ports in a row on which nothing listens. */
const freePorts = async (): Promise<number> => {
  const first = await freePort();
  const others = await Promise.all(
    [first + 1, first + 2].map((port) => isRefused(`http://127.0.0.1:${port}`)),
  );
  return others.every(Boolean) ? first : freePorts();
};

/**
 * Starts a cluster by the script, which builds it if it is not installed. A cluster at CITUS_HOME and CITUS_PORT is used
 * as it is, and left running.
 */
export const startCitus = async (script: string) => {
  const { CITUS_HOME, CITUS_PORT } = process.env;
  const folder = await makeFolder();
  await chmod(folder, 0o755);
  const home = CITUS_HOME ?? join(folder, 'cluster');
  const port = CITUS_PORT === undefined ? await freePorts() : Number(CITUS_PORT);
  const environment = { CITUS_SCRIPT: script, CITUS_HOME: home, CITUS_PORT: String(port) };
  const runScript = async (...words: ReadonlyArray<string>): Promise<void> => {
    await runProgram(script, [...words], { env: { ...process.env, ...environment } });
  };
  const urlOf = (node: number, database = 'postgres'): string =>
    `postgres://postgres@127.0.0.1:${port + node}/${database}`;
  const urls = [urlOf(0), urlOf(1), urlOf(2)];
  const databases: Array<string> = [];
  await runScript('start');

  return {
    /** Addresses of the coordinator and the workers. */
    urls,
    /** Environment for tests that call `stopWorker`. */
    environment,
    /** Makes a migrated database to copy from, which refuses connections, and distributes its animals or all of it. */
    makeTemplate: async (distribution: 'pets' | 'all'): Promise<string> => {
      const name = `animal_store_${distribution}_${process.pid}`;
      if (databases.includes(name)) return name;
      databases.push(name);
      await runScript('newdb', name);
      await runProgram(process.execPath, [main, 'migrate'], {
        env: { DATABASE_URL: urlOf(0, name) },
      });
      await runScript('distribute', name, distribution);
      // The script sets it only if everything is distributed.
      await execute(urlOf(0, name), "alter role current_user set lock_timeout = '1s'");
      for (const url of urls) {
        await execute(
          url,
          `alter database ${name} allow_connections false`,
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
        );
      }
      return name;
    },
    stop: async () => {
      const drops = databases.map((name) => `drop database if exists ${name} with (force)`);
      if (CITUS_HOME === undefined) await runScript('destroy');
      else await Promise.all(urls.map((url) => execute(url, ...drops)));
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Stops the second worker of the run's cluster. Returns a function that starts it again. */
export const stopWorker = async (): Promise<() => Promise<void>> => {
  const { CITUS_SCRIPT: script = '', CITUS_HOME: home = '' } = process.env;
  const file = join(home, 'worker2', 'postmaster.pid');
  const [pid] = readFileSync(file, 'utf8').split('\n');
  process.kill(Number(pid), 'SIGINT');
  await eventually('the worker has stopped', 30_000, () => !existsSync(file));
  return async () => {
    await runProgram(script, ['start'], { env: process.env });
  };
};
