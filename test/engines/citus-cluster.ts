import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually';
import { execute } from '../support/postgres/postgres';
import { isRefused } from '../support/http/client';
import { main } from '../support/processes/command';
import { freePort } from '../support/processes/system';
import { makeFolder } from '../support/temporary-folder';

const runProgram = promisify(execFile);

/** Returns CITUS_SCRIPT, or undefined if it names no file. */
export const citusScript = (): string | undefined => {
  const { CITUS_SCRIPT: script } = process.env;
  return script !== undefined && existsSync(script) ? script : undefined;
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
 * Distributes the tables that grow, and copies the small ones to every node, so that clients may connect to any node.
 */
const distributeOtherTables = [
  "select create_distributed_table('idempotency_keys', 'idempotency_key', colocate_with := 'none')",
  "select create_distributed_table('rate_limits', 'key', colocate_with := 'none')",
  `select create_reference_table(tablename::regclass) from pg_tables
    where schemaname = 'public' and tablename not in ('pets', 'idempotency_keys', 'rate_limits')`,
];

/** Starts a cluster by the script, which builds Citus if it is not installed. */
export const startCitus = async (script: string) => {
  const folder = await makeFolder();
  await chmod(folder, 0o755);
  const port = await freePorts();
  const environment = {
    CITUS_SCRIPT: script,
    CITUS_HOME: join(folder, 'cluster'),
    CITUS_PORT: String(port),
  };
  const runScript = async (...words: ReadonlyArray<string>): Promise<void> => {
    await runProgram(script, [...words], { env: { ...process.env, ...environment } });
  };
  const urlOf = (node: number, database = 'postgres'): string =>
    `postgres://postgres@127.0.0.1:${port + node}/${database}`;
  const urls = [urlOf(0), urlOf(1), urlOf(2)];
  await runScript('start');

  return {
    /** Addresses of the coordinator and the workers. */
    urls,
    /** Environment for tests that call `stopWorker`. */
    environment,
    /**
     * Makes a migrated database, and distributes its animals or all its tables. The database refuses connections, so
     * that it can be copied.
     */
    makeTemplate: async (distribution: 'pets' | 'all'): Promise<string> => {
      const name = `animal_store_${distribution}`;
      await runScript('newdb', name);
      await runProgram(process.execPath, [main, 'migrate'], { env: { DATABASE_URL: urlOf(0, name) } });
      await runScript('distribute', name, 'pets');
      if (distribution === 'all') await execute(urlOf(0, name), ...distributeOtherTables);
      // Sets the timeout of the role, because the timeout of a session does not reach the workers.
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
      await runScript('destroy');
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
