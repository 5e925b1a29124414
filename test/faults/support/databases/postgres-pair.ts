import { eventually } from '../../../support/eventually';
import { type FreezingProxy, startFreezingProxy } from '../../../support/postgres/freezing-proxy';
import { newPostgresServer, type PostgresServer } from '../../../support/postgres/postgres-server';
import { copyAsStandby } from './copy-as-standby';

/** A primary and a standby that has each commit before it is acknowledged. */
export interface PostgresPair {
  readonly primary: () => PostgresServer;
  readonly standby: () => PostgresServer;
  /** Between the two. */
  readonly replication: () => FreezingProxy;
  /** The standby becomes the primary, alone at first. The former primary must be out of reach of every client. */
  readonly failOver: () => Promise<void>;
  /** Ends once the standby has all that the primary has, and each new commit waits for it. */
  readonly isSynchronous: () => Promise<void>;
  /** Kills the former primary, if it still runs, and makes a synchronous standby in its place. */
  readonly addStandby: () => Promise<void>;
}

/** In milliseconds. */
const bound = 60_000;

const settings = ['wal_keep_size=128MB', 'max_wal_size=128MB', 'wal_retrieve_retry_interval=500ms'];

/** Gives a pair in two folders, which belong to root or to whom runs the tests; it is stopped afterwards. */
export const withPostgresPair = async <A>(
  [first, second]: readonly [string, string],
  use: (pair: PostgresPair) => Promise<A>,
): Promise<A> => {
  let primary = await newPostgresServer(first, settings);
  let standby = await newPostgresServer(second, settings);
  let replication = await startFreezingProxy(primary.port);

  const isSynchronous = async (): Promise<void> => {
    const [row] = await primary.query('select pg_current_wal_lsn()::text as now');
    await eventually('the standby is synchronous', bound, async () => {
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
    await eventually('the setting holds', bound, async () => {
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
