import { dirname } from 'node:path';
import { type FreezingProxy, startFreezingProxy } from '../support/postgres/freezing-proxy';
import { urlOf } from '../support/postgres/postgres-server';
import { inFolder } from '../support/temporary-folder';
import { findMissing, inTmpfs } from '../faults/support/machine';
import { type PostgresPair, withPostgresPair } from '../faults/support/postgres-pair';
import { cables, clocks, databaseCables, fillDisk, lock, processes } from './faults';
import { type Instance, withInstances } from './instance';
import { type Hand, type Injection, silenceMs } from './nemesis';
import { settings } from './settings';

export interface System {
  readonly instances: ReadonlyArray<Instance>;
  /** Each injects one fault at a time. No two of them touch the same thing. */
  readonly hands: ReadonlyArray<Hand>;
  /** Returns the end of the logs of its database servers, which a failed run shows. */
  readonly databaseLog?: () => string;
}

/** A system as an operator runs it, and the faults that it can have. */
export interface SetUp {
  readonly name: string;
  /** Gives a running and empty system, which is gone afterwards. */
  readonly within: <A>(use: (system: System) => Promise<A>) => Promise<A>;
}

export const withProxies = async <A>(
  ports: ReadonlyArray<number>,
  use: (proxies: ReadonlyArray<FreezingProxy>) => Promise<A>,
): Promise<A> => {
  const proxies = await Promise.all(ports.map(startFreezingProxy));
  try {
    return await use(proxies);
  } finally {
    for (const proxy of proxies) await proxy.close();
  }
};

const mayMount = async (): Promise<boolean> => (await findMissing('mount')) === undefined;

/** Gives a folder on a small disk of its own, if one can be mounted. */
const onSmallDisk = async <A>(sizeBytes: number, use: (folder: string) => Promise<A>): Promise<A> =>
  (await mayMount()) ? inTmpfs(`${sizeBytes}`, use) : inFolder(use);

const sqliteDiskBytes = 128 * 1024 * 1024;

export const sqliteFile: SetUp = {
  name: 'sqlite',
  within: async (use) => {
    const hasDisk = await mayMount();
    return inFolder((folder) =>
      onSmallDisk(sqliteDiskBytes, (data) => {
        const file = `${data}/animals.sqlite3`;
        const url = `sqlite:${file}`;
        const disk: Hand = { name: 'disk', draw: (random) => fillDisk(random, data, sqliteDiskBytes) };
        return withInstances(folder, [url, url, url], settings.builds[0], (instances) =>
          use({
            instances,
            hands: [
              processes(instances, settings.builds),
              cables(instances),
              clocks(instances),
              lock(file),
              ...(hasDisk ? [disk] : []),
            ],
          }),
        );
      }),
    );
  },
};

const longestOutageMs = 2_000;

/** Faults that every run begins with, however short it is. */
const failovers = ['fail over', 'fail over cut', 'fail over late'] as const;

/** Breaks a primary and its standby, and has the standby take over. `diskBytes` is 0 if their disks are not small. */
const pairFaults = (pair: PostgresPair, cables: ReadonlyArray<FreezingProxy>, diskBytes: number): Hand => {
  const takeOver = async (open: 'end' | 'hang'): Promise<void> => {
    await pair.failOver();
    for (const cable of cables) cable.switchTo(pair.primary().port, open);
    await pair.addStandby();
  };
  const restart = async (): Promise<void> => {
    await pair.primary().start();
    await pair.isSynchronous();
  };
  const first = [...failovers];
  return {
    name: 'primary and standby',
    draw: (random): Injection => {
      const lasts = silenceMs(random);
      const outage = random.between(0, longestOutageMs);
      const fault = (name: string, inject: Injection['inject']): Injection => ({
        name,
        silences: [],
        inject,
      });
      switch (
        first.shift() ??
        random.weighted({
          'kill primary': 2,
          'stop primary': 2,
          'stop standby': 2,
          'cut replication': 2,
          'fill disk': diskBytes > 0 ? 2 : 0,
          'fail over': 3,
          'fail over late': 2,
          'fail over cut': 2,
        })
      ) {
        case 'kill primary':
          return fault('kill the primary', async (last) => {
            await pair.primary().kill();
            await last(outage);
            await restart();
          });
        case 'stop primary':
          return fault('stop the primary', async (last) => {
            const resume = pair.primary().hang();
            await last(lasts);
            resume();
          });
        case 'stop standby':
          return fault('stop the standby', async (last) => {
            const resume = pair.standby().hang();
            await last(lasts);
            resume();
          });
        case 'cut replication':
          return fault('cut the replication', async (last) => {
            pair.replication().freeze();
            await last(lasts);
            pair.replication().thaw();
          });
        case 'fill disk': {
          const { name, inject } = fillDisk(random, dirname(pair.primary().folder), diskBytes);
          return fault(name, async (last) => {
            await inject(last);
            // The server ends if its log finds no space.
            await restart();
          });
        }
        case 'fail over':
          return fault('fail over from a primary that dies', async (last) => {
            await pair.primary().kill();
            await last(outage);
            await takeOver('end');
          });
        case 'fail over late':
          return fault('fail over from a primary that hangs', async (last) => {
            pair.primary().hang();
            await last(lasts);
            await takeOver('hang');
          });
        case 'fail over cut':
          return fault('restart the primary while its standby is cut off, then fail over', async (last) => {
            pair.replication().freeze();
            await last(longestOutageMs);
            await pair.primary().kill();
            await pair.primary().start();
            await last(longestOutageMs);
            await pair.primary().kill();
            await takeOver('end');
          });
      }
    },
  };
};

const instanceCount = 3;
const pairDiskBytes = 640 * 1024 * 1024;

const shownLogCharacters = 2_000;

const logsOf = (pair: PostgresPair): string =>
  [pair.primary(), pair.standby()]
    .map((node) => {
      const state = node.isRunning() ? 'is running' : 'has ended';
      return `port ${node.port}, ${state}: ${node.log().slice(-shownLogCharacters)}`;
    })
    .join('\n');

/** Three instances on a primary and a synchronous standby. */
export const primaryAndStandby: SetUp = {
  name: 'standby',
  within: async (use) => {
    const diskBytes = (await mayMount()) ? pairDiskBytes : 0;
    const start = (folder: string, pair: PostgresPair): ReturnType<typeof use> =>
      withProxies(Array<number>(instanceCount).fill(pair.primary().port), (proxies) =>
        withInstances(
          folder,
          proxies.map(({ port }) => urlOf(port)),
          settings.builds[0],
          (instances) =>
            use({
              instances,
              databaseLog: () => logsOf(pair),
              hands: [
                processes(instances, settings.builds),
                cables(instances),
                clocks(instances),
                databaseCables(proxies),
                pairFaults(pair, proxies, diskBytes),
              ],
            }),
        ),
      );
    return inFolder((folder) =>
      onSmallDisk(pairDiskBytes, (first) =>
        onSmallDisk(pairDiskBytes, (second) =>
          withPostgresPair([first, second], (pair) => start(folder, pair)),
        ),
      ),
    );
  },
};
