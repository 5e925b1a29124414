import { inFolder } from '../support/temporary-folder';
import { type CitusCluster, citusScript, nodeNames, startCitus } from '../engines/citus-cluster';
import { databaseCables, instanceFaults } from './faults';
import { withInstances } from './instance';
import { type Hand, lasting, silenceMs } from './nemesis';
import { type SetUp, withProxies } from './set-ups';
import { settings } from './settings';

const nodeFaults = ({ start, signal }: CitusCluster): Hand => ({
  name: 'nodes',
  draw: (random) => {
    const node = random.pick(nodeNames);
    const how = random.pick(['kill', 'stop']);
    return lasting(`${how} ${node}`, [], silenceMs(random), () => {
      signal(node, how === 'kill' ? 'SIGKILL' : 'SIGSTOP');
      return how === 'kill'
        ? start
        : () => {
            signal(node, 'SIGCONT');
          };
    });
  },
});

const withPort = (url: string, port: number): string => {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
};

/** Three instances on a coordinator and two workers over which everything is distributed. One instance uses a worker. */
export const citusCluster: SetUp = {
  name: 'citus',
  within: async (use) => {
    const script = citusScript();
    if (script === undefined) throw new Error('CITUS_SCRIPT names no script that starts a cluster');
    const cluster = await startCitus(script);
    try {
      const [coordinator = '', worker = ''] = await cluster.makeDatabase('history', 'all');
      const urls = [coordinator, worker, coordinator];
      return await withProxies(
        urls.map((url) => Number(new URL(url).port)),
        (proxies) =>
          inFolder((folder) =>
            withInstances(
              folder,
              proxies.map(({ port }, place) => withPort(urls[place] ?? '', port)),
              (instances) =>
                use({
                  instances,
                  hands: [
                    // A worker may not change a distributed table, as the other build's migration does.
                    ...instanceFaults(instances, [settings.builds[0]]),
                    databaseCables(proxies),
                    nodeFaults(cluster),
                  ],
                }),
            ),
          ),
      );
    } finally {
      await cluster.stop();
    }
  },
};
