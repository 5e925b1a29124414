import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/random';
import { type FreezingProxy, startFreezingProxy } from '../support/postgres/freezing-proxy';
import { urlOf } from '../support/postgres/postgres-server';
import { inFolder } from '../support/temporary-folder';
import { findMissing, inTmpfs } from '../faults/support/machine';
import { type PostgresPair, withPostgresPair } from '../faults/support/postgres-pair';
import {
  databaseCables,
  fullDisk,
  type Hand,
  type Injection,
  instanceFaults,
  lasting,
  lock,
  longestOutageMs,
  silenceMs,
} from './faults';
import { type Instance, withInstances } from './instance';

export interface System {
  readonly instances: ReadonlyArray<Instance>;
  /**
   * Sources of faults. They inject faults at the same time, each one fault at a time, into different parts of the
   * system.
   */
  readonly hands: ReadonlyArray<Hand>;
}

/** A system as an operator runs it, and the faults that it can have. */
export interface SetUp {
  readonly name: string;
  /** Runs a function with a running and empty system, and removes the system afterwards. */
  readonly within: <A>(use: (system: System) => Promise<A>) => Promise<A>;
}

const withProxies = async <A>(
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

/**
 * Runs a function with a folder on a small disk of its own. If none can be mounted, the folder is on an ordinary disk.
 */
const onSmallDisk = async <A>(sizeBytes: number, use: (folder: string) => Promise<A>): Promise<A> =>
  (await mayMount()) ? inTmpfs(`${sizeBytes}`, use) : inFolder(use);

const sqliteDiskBytes = 128 * 1024 * 1024;

export const sqliteFile: SetUp = {
  name: 'sqlite',
  within: async (use) => {
    const hasDisk = await mayMount();
    return onSmallDisk(sqliteDiskBytes, (data) => {
      const file = `${data}/animals.sqlite3`;
      const url = `sqlite:${file}`;
      const disk: Hand = { name: 'disk', draw: (random) => fullDisk(random, data, sqliteDiskBytes) };
      return withInstances([url, url, url], (instances) =>
        use({
          instances,
          hands: [...instanceFaults(instances), lock(file), ...(hasDisk ? [disk] : [])],
        }),
      );
    });
  },
};

/** Faults that every run begins with, however short it is. */
const failovers = ['fail over', 'fail over cut', 'fail over late'] as const;

/** Breaks a primary and its standby, and has the standby take over. `diskBytes` is 0 if their disks are not small. */
const pairFaults = (pair: PostgresPair, cables: ReadonlyArray<FreezingProxy>, diskBytes: number): Hand => {
  const { primary, standby, replication } = pair;
  const takeOver = async (open: 'end' | 'hang'): Promise<void> => {
    await pair.failOver();
    for (const cable of cables) cable.switchTo(primary().port, open);
    await pair.addStandby();
  };
  const restart = async (): Promise<void> => {
    await primary().start();
    await pair.isSynchronous();
  };
  const first = [...failovers];
  const draw = (random: Random): Injection => {
    const lasts = silenceMs(random);
    const outage = random.between(0, longestOutageMs);
    const name =
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
      });
    switch (name) {
      case 'kill primary':
        return lasting(name, [], outage, async () => {
          await primary().kill();
          return restart;
        });
      case 'stop primary':
        return lasting(name, [], lasts, () => primary().hang());
      case 'stop standby':
        return lasting(name, [], lasts, () => standby().hang());
      case 'cut replication':
        return lasting(name, [], lasts, () => {
          replication().freeze();
          return replication().thaw;
        });
      case 'fill disk': {
        const { inject, ...full } = fullDisk(random, dirname(primary().folder), diskBytes);
        // PostgreSQL stops if it can't write its write-ahead log, so start it again.
        return { ...full, inject: (last) => inject(last).then(restart) };
      }
      case 'fail over':
        return lasting(name, [], outage, async () => {
          await primary().kill();
          return () => takeOver('end');
        });
      case 'fail over late':
        return lasting(name, [], lasts, () => {
          primary().hang();
          return () => takeOver('hang');
        });
      case 'fail over cut':
        // The primary restarts while its standby is cut off.
        return lasting(name, [], longestOutageMs, async () => {
          replication().freeze();
          await delay(longestOutageMs);
          await primary().kill();
          await primary().start();
          return async () => {
            await primary().kill();
            await takeOver('end');
          };
        });
    }
  };
  return { name: 'primary and standby', draw };
};

const instanceCount = 3;
const pairDiskBytes = 640 * 1024 * 1024;

/** Three instances on a primary and a synchronous standby. */
export const primaryAndStandby: SetUp = {
  name: 'standby',
  within: async (use) => {
    const diskBytes = (await mayMount()) ? pairDiskBytes : 0;
    const start = (pair: PostgresPair): ReturnType<typeof use> =>
      withProxies(Array<number>(instanceCount).fill(pair.primary().port), (proxies) =>
        withInstances(
          proxies.map(({ port }) => urlOf(port)),
          (instances) =>
            use({
              instances,
              hands: [
                ...instanceFaults(instances),
                databaseCables(proxies),
                pairFaults(pair, proxies, diskBytes),
              ],
            }),
        ),
      );
    return onSmallDisk(pairDiskBytes, (first) =>
      onSmallDisk(pairDiskBytes, (second) => withPostgresPair([first, second], start)),
    );
  },
};
