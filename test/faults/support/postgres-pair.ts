import { execFile } from 'node:child_process';
import { rm, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { eventually } from '../../support/eventually';
import { type FreezingProxy, startFreezingProxy } from '../../support/postgres/freezing-proxy';
import { newPostgresServer, type PostgresServer } from '../../support/postgres/postgres-server';

const run = promisify(execFile);

/** Copies the folder of a running server. Ignores files that disappear during the copy. */
const copyRunning = (from: string, to: string): Promise<unknown> =>
  run('cp', ['-a', from, to]).catch((error: unknown) => {
    const complaints = String(error)
      .split('\n')
      .filter((line) => line.startsWith('cp: ') && !line.includes('No such file or directory'));
    if (complaints.length > 0) throw error;
  });

/**
 * Replaces the folder of a stopped server with a copy of `source`, and makes the server a standby that follows the
 * server on `followedPort`.
 */
const copyAsStandby = async (
  source: PostgresServer,
  { folder }: PostgresServer,
  followedPort: number,
): Promise<void> => {
  const client = new Client({ connectionString: source.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    await rm(folder, { recursive: true, force: true });
    await copyRunning(source.folder, folder);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    const { hostname, username, password } = new URL(source.url);
    const files = {
      backup_label: rows[0]?.labelfile ?? '',
      'standby.signal': '',
      'postgresql.auto.conf': `primary_conninfo = 'host=${hostname} port=${followedPort} user=${username} password=${password} application_name=standby'\n`,
    };
    for (const name of ['postmaster.pid', 'postmaster.opts']) await rm(`${folder}/${name}`, { force: true });
    for (const [name, text] of Object.entries(files)) await writeFile(`${folder}/${name}`, text);
    const { uid, gid } = await stat(folder);
    await run('chown', [`${uid}:${gid}`, ...Object.keys(files).map((name) => `${folder}/${name}`)]);
  } finally {
    await client.end();
  }
};

/** A primary and a synchronous standby: a commit is acknowledged only after the standby has it. */
export interface PostgresPair {
  readonly primary: () => PostgresServer;
  readonly standby: () => PostgresServer;
  readonly replication: () => FreezingProxy;
  /** Promotes the standby to a primary without a standby. No client may be able to reach the former primary. */
  readonly failOver: () => Promise<void>;
  /** Waits until the standby has all data of the primary, and each new commit waits for the standby. */
  readonly isSynchronous: () => Promise<void>;
  /** Kills the former primary, if it still runs, and makes it a synchronous standby. */
  readonly addStandby: () => Promise<void>;
}

const timeoutMs = 60_000;

const settings = ['wal_keep_size=128MB', 'max_wal_size=128MB', 'wal_retrieve_retry_interval=500ms'];

/**
 * Runs a function with a pair of servers in two folders, and stops both afterwards. The folders belong to root or to
 * the user of the tests.
 */
export const withPostgresPair = async <A>(
  [first, second]: readonly [string, string],
  use: (pair: PostgresPair) => Promise<A>,
): Promise<A> => {
  let primary = await newPostgresServer(first, settings);
  let standby = await newPostgresServer(second, settings);
  let replication = await startFreezingProxy(primary.port);

  const isSynchronous = async (): Promise<void> => {
    const [row] = await primary.query('select pg_current_wal_lsn()::text as now');
    await eventually('the standby is synchronous', timeoutMs, async () => {
      const rows = await primary.query(
        "select 1 from pg_stat_replication where sync_state = 'sync' and flush_lsn >= $1::pg_lsn",
        [row?.['now']],
      );
      return rows.length === 1;
    });
  };
  const becomeSynchronous = async (): Promise<void> => {
    await primary.query("alter system set synchronous_standby_names = 'standby'");
    await primary.query('select pg_reload_conf()');
    await eventually('the setting holds', timeoutMs, async () => {
      const [row] = await primary.query('show synchronous_standby_names');
      return row?.['synchronous_standby_names'] === 'standby';
    });
    await isSynchronous();
  };
  const addStandby = async (): Promise<void> => {
    await standby.kill();
    await replication.close();
    replication = await startFreezingProxy(primary.port);
    await copyAsStandby(primary, standby, replication.port);
    await standby.start();
    await becomeSynchronous();
  };
  try {
    await primary.start();
    await addStandby();
    return await use({
      primary: () => primary,
      standby: () => standby,
      replication: () => replication,
      failOver: async () => {
        await standby.query('select pg_promote(true, 30)');
        [primary, standby] = [standby, primary];
      },
      isSynchronous,
      addStandby,
    });
  } finally {
    await standby.kill();
    await primary.kill();
    await replication.close();
  }
};
