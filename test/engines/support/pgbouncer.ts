import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../support/eventually';
import { freePort } from '../../support/processes/system';

/** A pooler in front of a PostgreSQL server, in transaction mode. */
export interface Pgbouncer {
  /** The server's address, by way of the pooler. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** PGBOUNCER, or where Debian has it; undefined where there is none. */
export const pgbouncerProgram = (): string | undefined => {
  const { PGBOUNCER: program = '/usr/sbin/pgbouncer' } = process.env;
  return existsSync(program) ? program : undefined;
};

/** Whether it keeps the statements apart that its clients prepare: from 1.21 on it can. */
export const keepsStatementsApart = async (program: string): Promise<boolean> => {
  const { stdout } = await promisify(execFile)(program, ['--version']);
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 1 || Number(minor) >= 21;
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

const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

/** Starts it as a user who is not root: it refuses root. Further lines of its configuration may be given. */
export const startPgbouncer = async (
  program: string,
  serverUrl: string,
  lines: ReadonlyArray<string> = [],
): Promise<Pgbouncer> => {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-pgbouncer-'));
  await chmod(folder, 0o755);
  const [file, port] = [join(folder, 'pgbouncer.ini'), await freePort()];
  await writeFile(file, configuration(new URL(serverUrl), port) + lines.join('\n'));
  const asNobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const child = spawn(program, ['--quiet', file], { ...asNobody, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await eventually('the pooler listens', 10_000, () => isListening(port));
  const url = new URL(serverUrl);
  url.port = String(port);
  return {
    url: url.href,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
};
