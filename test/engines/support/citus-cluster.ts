import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrate, openPostgres } from '../../../adapters/knex';
import { eventually } from '../../support/eventually';
import { execute } from '../../support/postgres/postgres';
import { run } from '../../support/run';

const runProgram = promisify(execFile);

/** What is spread over the workers: the animals alone, or every table. */
export type Distribution = 'pets' | 'all';

/** A coordinator and two workers. */
export interface CitusCluster {
  /** Of each node, the coordinator first. */
  readonly urls: ReadonlyArray<string>;
  /** What `stopWorker` needs to know, for the environment of tests. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes a database to copy from, migrated and distributed, that nobody may connect to; answers with its name. */
  readonly makeTemplate: (distribution: Distribution) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** CITUS_SCRIPT, or the script beside the checkout; undefined where there is none. */
export const citusScript = (): string | undefined => {
  const { CITUS_SCRIPT: script = join(__dirname, '..', '..', '..', '..', 'shared', 'engines', 'citus.sh') } =
    process.env;
  return existsSync(script) ? script : undefined;
};

const nodes = [0, 1, 2] as const;

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
};

/** Three in a row, below those that systems give to clients. */
const freePorts = async (): Promise<number> => {
  const first = 20_000 + 3 * Math.floor(Math.random() * 3_000);
  const areFree = await Promise.all(nodes.map((node) => isFree(first + node)));
  return areFree.every(Boolean) ? first : freePorts();
};

const migrateAt = async (url: string): Promise<void> => {
  const database = openPostgres(url, { poolSize: 2, statementTimeoutMs: 9_000 });
  try {
    await run(migrate(database));
  } finally {
    await database.close();
  }
};

/**
 * Starts a cluster by the script, which builds it where it is not installed. With CITUS_HOME and CITUS_PORT it is theirs,
 * and is left running.
 */
export const startCitus = async (script: string): Promise<CitusCluster> => {
  const { CITUS_HOME, CITUS_PORT } = process.env;
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-citus-'));
  await chmod(folder, 0o755);
  const home = CITUS_HOME ?? join(folder, 'cluster');
  const port = CITUS_PORT === undefined ? await freePorts() : Number(CITUS_PORT);
  const environment = { CITUS_SCRIPT: script, CITUS_HOME: home, CITUS_PORT: String(port) };
  const tell = async (...words: ReadonlyArray<string>): Promise<void> => {
    await runProgram(script, [...words], { env: { ...process.env, ...environment } });
  };
  const urlsOf = (database: string): ReadonlyArray<string> =>
    nodes.map((node) => `postgres://postgres@127.0.0.1:${port + node}/${database}`);
  const urls = urlsOf('postgres');
  const templates: Array<string> = [];
  await tell('start');

  return {
    urls,
    environment,
    makeTemplate: async (distribution) => {
      const name = `animal_store_${distribution}_${process.pid}`;
      if (templates.includes(name)) return name;
      templates.push(name);
      await tell('newdb', name);
      await migrateAt(urlsOf(name)[0] ?? '');
      await tell('distribute', name, distribution);
      // Step 4 of the adapter's README, which the script takes with everything distributed only.
      await execute(urlsOf(name)[0] ?? '', "alter role current_user set lock_timeout = '1s'");
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
      const drops = templates.map((name) => `drop database if exists ${name} with (force)`);
      if (CITUS_HOME === undefined) await tell('destroy');
      else await Promise.all(urls.map((url) => execute(url, ...drops)));
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Stops the second worker of the run's cluster, and answers with what starts it again. */
export const stopWorker = async (): Promise<() => Promise<void>> => {
  const { CITUS_SCRIPT: script = '', CITUS_HOME: home = '' } = process.env;
  const file = join(home, 'worker2', 'postmaster.pid');
  const [pid] = readFileSync(file, 'utf8').split('\n');
  // Its fast shutdown.
  process.kill(Number(pid), 'SIGINT');
  await eventually('the worker has stopped', 30_000, () => !existsSync(file));
  return async () => {
    await runProgram(script, ['start'], { env: process.env });
  };
};
