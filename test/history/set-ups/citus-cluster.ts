import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type FreezingProxy, startFreezingProxy } from '../../support/postgres/freezing-proxy';
import { inFolder } from '../../support/temporary-folder';
import { signalFamily } from '../../support/processes/system';
import { main } from '../../support/processes/command';
import { databaseCables } from '../nemesis/database-faults';
import { cables, clocks, processes } from '../nemesis/instance-faults';
import type { Hand } from '../nemesis/nemesis';
import { silence } from '../nemesis/silence';
import { settings } from '../settings';
import { withInstances } from './instance';
import type { SetUp } from './set-up';

const run = promisify(execFile);

const nodes = ['coordinator', 'worker1', 'worker2'] as const;
const database = 'history';

/** By which node each instance goes. */
const entries = [0, 1, 0] as const;

interface Cluster {
  /** The coordinator's; each worker's is one more. */
  readonly port: number;
  readonly signal: (node: string, name: NodeJS.Signals) => void;
  /** Starts what does not run. */
  readonly start: () => Promise<void>;
}

const urlAt = (port: number): string => `postgres://postgres@127.0.0.1:${port}/${database}`;

const withCluster = <A>(script: string, use: (cluster: Cluster) => Promise<A>): Promise<A> =>
  inFolder(async (folder) => {
    await chmod(folder, 0o755);
    // Three in a row, below those that systems give to clients.
    const port = Number(process.env['CITUS_PORT'] ?? 20_000 + 3 * Math.floor(Math.random() * 3_000));
    const home = join(folder, 'cluster');
    const environment = { ...process.env, CITUS_HOME: home, CITUS_PORT: `${port}` };
    const tell = async (...words: ReadonlyArray<string>): Promise<void> => {
      await run(script, words, { env: environment });
    };
    const start = (): Promise<void> => tell('start');
    try {
      await start();
      await tell('newdb', database);
      await run(process.execPath, [main, 'migrate'], { env: { ...process.env, DATABASE_URL: urlAt(port) } });
      await tell('distribute', database, 'all');
      return await use({
        port,
        start,
        signal: (node, name) => {
          const file = join(home, node, 'postmaster.pid');
          if (!existsSync(file)) return;
          signalFamily(Number(readFileSync(file, 'utf8').split('\n')[0]), name);
        },
      });
    } finally {
      await tell('destroy');
    }
  });

/** Kills and stops whole nodes. */
const nodeFaults = ({ start, signal }: Cluster): Hand => ({
  name: 'nodes',
  draw: (random) => {
    const node = random.pick(nodes);
    const lasts = silence(random);
    const how = random.weighted({ kill: 1, stop: 1 });
    return {
      name: `${how} ${node}`,
      silences: [],
      inject: async (last) => {
        signal(node, how === 'kill' ? 'SIGKILL' : 'SIGSTOP');
        await last(lasts);
        if (how === 'kill') await start();
        else signal(node, 'SIGCONT');
      },
    };
  },
});

const withDatabaseCables = async <A>(
  { port }: Cluster,
  use: (cables: ReadonlyArray<FreezingProxy>) => Promise<A>,
): Promise<A> => {
  const all = await Promise.all(entries.map((entry) => startFreezingProxy(port + entry)));
  try {
    return await use(all);
  } finally {
    for (const cable of all) await cable.close();
  }
};

/** A coordinator and two workers over which everything is distributed; three instances, one of them by a worker. */
export const citusCluster: SetUp = {
  name: 'citus',
  within: (use) => {
    const { citusScript } = settings;
    if (citusScript === undefined) throw new Error('CITUS_SCRIPT names no script that starts a cluster');
    return withCluster(citusScript, (cluster) =>
      withDatabaseCables(cluster, (databases) =>
        inFolder((folder) =>
          withInstances(
            folder,
            databases.map(({ port }) => urlAt(port)),
            settings.builds[0],
            (instances) =>
              use({
                instances,
                hands: [
                  // Of the other build's migration a worker may not change a distributed table.
                  processes(instances, [settings.builds[0]]),
                  cables(instances),
                  clocks(instances),
                  databaseCables(databases),
                  nodeFaults(cluster),
                ],
              }),
          ),
        ),
      ),
    );
  },
};
