import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { execute } from '../support/postgres/postgres';
import { startSharedPostgres } from '../support/postgres/postgres-server';
import { citusScript, startCitus } from './support/citus-cluster';
import { keepsStatementsApart, pgbouncerProgram, startPgbouncer } from './support/pgbouncer';

/** Tests of one server that any other engine must pass as well; of each, those with PostgreSQL in their names. */
const sharedTests = [
  'postgres-pet-repository',
  'knex/pets/create',
  'damaged-rows',
  'held-keys',
  'knex-authenticate',
  'api-key-store',
  'postgres-quota',
  'several-instances',
  'fresh-reads',
  'large-ids',
];

/** These put functions of their own behind the tables, which a worker of a cluster doesn't have. */
const conflictTests = ['knex/pets/import', 'postgres-conflicts'];

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
  ownTests: string,
  moreTests: ReadonlyArray<string> = [],
): Promise<boolean> => {
  print(name);
  const shared = [...sharedTests, ...moreTests].map((test) => `test/**/${test}.{test,slow}.ts`);
  const hasPassed = await mocha([...shared, 'test/end-to-end/**/*.test.ts'], environment);
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
    const results: Array<boolean> = [];
    for (const [distribution, entry, name] of [
      ['pets', coordinator, 'Citus, animals distributed, by the coordinator'],
      ['all', coordinator, 'Citus, everything distributed, by the coordinator'],
      ['all', worker, 'Citus, everything distributed, by a worker'],
    ] as const) {
      const environment = {
        TEST_POSTGRES_URL: cluster.urls.join(),
        TEST_POSTGRES_TEMPLATE: await cluster.makeTemplate(distribution),
        TEST_POSTGRES_ENTRY: entry,
        TEST_POSTGRES_IS_DISTRIBUTED: 'yes',
        ...cluster.environment,
      };
      results.push(await runOn(name, environment, 'citus', entry === worker ? [] : conflictTests));
    }
    return results.every(Boolean);
  } finally {
    await cluster.stop();
  }
};

/** What doctor says to do where a pooler is in the way. */
const setLimitsOnRole = (url: string): Promise<void> =>
  execute(
    url,
    "alter role current_user set statement_timeout = '3000ms'",
    "alter role current_user set lock_timeout = '1000ms'",
    "alter role current_user set idle_in_transaction_session_timeout = '10000ms'",
  );

const runOnPgbouncer = async (): Promise<boolean> => {
  const program = pgbouncerProgram();
  if (program === undefined) {
    print('PgBouncer: skipped, since PGBOUNCER names no program');
    return true;
  }
  const keepsApart = await keepsStatementsApart(program);
  if (!keepsApart) print('PgBouncer: prepared statements are skipped, since it knows them from 1.21 on');
  const server = await startSharedPostgres();
  await setLimitsOnRole(server.url);
  const pooler = await startPgbouncer(
    program,
    server.url,
    keepsApart ? ['max_prepared_statements = 100'] : [],
  );
  try {
    const environment = {
      TEST_POSTGRES_URL: server.url,
      TEST_POSTGRES_ENTRY: pooler.url,
      ...(keepsApart ? { TEST_PGBOUNCER_KEEPS_STATEMENTS: 'yes' } : {}),
    };
    return await runOn('PgBouncer, in transaction mode', environment, 'pgbouncer', conflictTests);
  } finally {
    await pooler.stop();
    await server.stop();
  }
};

const engines = { pgbouncer: runOnPgbouncer, citus: runOnCitus };

/** Those that are named, or all. */
const main = async ([, , ...names]: ReadonlyArray<string>): Promise<void> => {
  for (const [name, runTests] of Object.entries(engines)) {
    if (names.length > 0 && !names.includes(name)) continue;
    if (!(await runTests())) process.exitCode = 1;
  }
};

void main(process.argv);
