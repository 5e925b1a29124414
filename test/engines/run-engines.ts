import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually';
import { isRefused } from '../support/http/client';
import { execute } from '../support/postgres/postgres';
import { startSharedPostgres } from '../support/postgres/postgres-server';
import { freePort } from '../support/processes/system';
import { makeFolder } from '../support/temporary-folder';
import { citusScript, startCitus } from './citus-cluster';

/** Files whose tests with PostgreSQL in their titles must pass on every engine. */
const sharedTests = [
  'knex/pets/repository',
  'knex/pets/create',
  'knex/pets/expired-keys',
  'damaged-rows',
  'held-keys',
  'api-keys/authenticate',
  'api-key-store',
  'knex/postgres/quota',
  'end-to-end/operations/*',
];

/** Files that run only on the coordinator, because they need functions in the database, or ids from 1. */
const coordinatorTests = ['knex/pets/import', 'postgres-conflicts', 'commands/log'];

const globs = (tests: ReadonlyArray<string>): ReadonlyArray<string> =>
  tests.map((test) => `test/**/${test}.test.ts`);

const allTests = globs([...sharedTests, ...coordinatorTests]);

const print = (text: string): void => void process.stdout.write(`\n== ${text}\n`);

type Environment = Readonly<Record<string, string>>;

const mochaWords = [
  require.resolve('mocha/bin/mocha.js'),
  '--timeout=120000',
  '--jobs=2',
  '--reporter=dot',
  '--grep=PostgreSQL|Citus|PgBouncer',
];

const mocha = async (specs: ReadonlyArray<string>, environment: Environment): Promise<boolean> => {
  const child = spawn(process.execPath, [...mochaWords, ...specs], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  await once(child, 'exit');
  return child.exitCode === 0;
};

const runOn = async (
  name: string,
  environment: Environment,
  specs: ReadonlyArray<string>,
  ownTests: string,
): Promise<boolean> => {
  print(name);
  const hasPassed = await mocha(specs, environment);
  return (await mocha([`test/engines/${ownTests}.engine.ts`], environment)) && hasPassed;
};

const runOnCitus = async (): Promise<boolean> => {
  const script = citusScript();
  if (script === undefined) {
    print('Citus: skipped, since CITUS_SCRIPT names no script that starts a cluster');
    return true;
  }
  const cluster = await startCitus(script);
  try {
    const [coordinator = '', worker = ''] = cluster.urls;
    const templates = { pets: await cluster.makeTemplate('pets'), all: await cluster.makeTemplate('all') };
    const results: Array<boolean> = [];
    for (const [distribution, entry, specs, name] of [
      ['pets', coordinator, allTests, 'Citus, animals distributed, by the coordinator'],
      ['all', coordinator, globs(coordinatorTests), 'Citus, everything distributed, by the coordinator'],
      ['all', worker, globs(sharedTests), 'Citus, everything distributed, by a worker'],
    ] as const) {
      const environment = {
        TEST_POSTGRES_URL: cluster.urls.join(),
        TEST_POSTGRES_TEMPLATE: templates[distribution],
        TEST_POSTGRES_ENTRY: entry,
        TEST_POSTGRES_IS_DISTRIBUTED: 'yes',
        ...cluster.environment,
      };
      results.push(await runOn(name, environment, specs, 'citus'));
    }
    return results.every(Boolean);
  } finally {
    await cluster.stop();
  }
};

const configuration = ({ hostname, port, username, password }: URL, ownPort: number): string => `
[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 1000
default_pool_size = 15
server_idle_timeout = 5
`;

/** Starts PgBouncer as a user who is not root, because it refuses to run as root. */
const startPgbouncer = async (program: string, serverUrl: string) => {
  const folder = await makeFolder();
  await chmod(folder, 0o755);
  const [file, port] = [join(folder, 'pgbouncer.ini'), await freePort()];
  await writeFile(file, configuration(new URL(serverUrl), port));
  const asNobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const child = spawn(program, ['--quiet', file], { ...asNobody, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const url = new URL(serverUrl);
  url.port = String(port);
  const address = `http://127.0.0.1:${port}`;
  await eventually('the pooler listens', 10_000, async () => !(await isRefused(address)));
  return {
    url: url.href,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const runOnPgbouncer = async (): Promise<boolean> => {
  // PGBOUNCER is the path of the program. The default is the path on Debian.
  const { PGBOUNCER: program = '/usr/sbin/pgbouncer' } = process.env;
  if (!existsSync(program)) {
    print('PgBouncer: skipped, since PGBOUNCER names no program');
    return true;
  }
  const server = await startSharedPostgres();
  await execute(
    server.url,
    "alter role current_user set statement_timeout = '3000ms'",
    "alter role current_user set lock_timeout = '1000ms'",
    "alter role current_user set idle_in_transaction_session_timeout = '10000ms'",
  );
  const pooler = await startPgbouncer(program, server.url);
  try {
    const environment = {
      TEST_POSTGRES_URL: server.url,
      TEST_POSTGRES_ENTRY: pooler.url,
    };
    return await runOn('PgBouncer, in transaction mode', environment, allTests, 'pgbouncer');
  } finally {
    await pooler.stop();
    await server.stop();
  }
};

const engines = { pgbouncer: runOnPgbouncer, citus: runOnCitus };

const main = async ([, , ...names]: ReadonlyArray<string>): Promise<void> => {
  for (const [name, runTests] of Object.entries(engines)) {
    if (names.length > 0 && !names.includes(name)) continue;
    if (!(await runTests())) process.exitCode = 1;
  }
};

void main(process.argv);
