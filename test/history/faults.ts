import { rm } from 'node:fs/promises';
import { fillDisk } from '../faults/support/machine';
import { sqliteStore } from '../support/databases/databases';
import type { FreezingProxy } from '../support/postgres/freezing-proxy';
import type { Random } from '../support/random';
import type { Instance } from './instance';
import { type Hand, type Injection, lasting, silenceMs } from './nemesis';
import type { Build } from './settings';

export const longestOutageMs = 2_000;
const longestFullMs = 6_000;

const oneOf = <A>(all: ReadonlyArray<A>, random: Random): A => {
  const one = all[random.below(all.length)];
  if (one === undefined) throw new Error('there is nothing to draw from');
  return one;
};

/** Kills, stops and restarts instances. Each restart is with the next build. */
const processes = (instances: ReadonlyArray<Instance>, builds: ReadonlyArray<Build>): Hand => {
  let restarts = 0;
  return {
    name: 'processes',
    draw: (random): Injection => {
      const { number, signal, end, start } = oneOf(instances, random);
      const startAgain = (): Promise<void> => start(builds[restarts % builds.length]);
      const how = random.pick(['kill', 'stop', 'restart']);
      const name = `${how} instance ${number}`;
      switch (how) {
        case 'kill':
          return lasting(name, [number], random.between(0, longestOutageMs), async () => {
            await end('SIGKILL');
            return startAgain;
          });
        case 'stop':
          return lasting(name, [number], silenceMs(random), () => {
            signal('SIGSTOP');
            return () => {
              signal('SIGCONT');
            };
          });
        case 'restart':
          return lasting(name, [number], 0, async () => {
            restarts += 1;
            await end('SIGTERM');
            return startAgain;
          });
      }
    },
  };
};

const cutCable = (name: string, silences: ReadonlyArray<number>, cable: FreezingProxy, random: Random) => {
  const how = random.pick(['freeze', 'refuse']);
  return lasting(`${how} ${name}`, silences, silenceMs(random), () => {
    cable[how]();
    return cable.thaw;
  });
};

const cables = (instances: ReadonlyArray<Instance>): Hand => ({
  name: 'cables',
  draw: (random) => {
    const { number, cable } = oneOf(instances, random);
    return cutCable(`the cable of instance ${number}`, [number], cable, random);
  },
});

/** Faults of the instances themselves. */
export const instanceFaults = (
  instances: ReadonlyArray<Instance>,
  builds: ReadonlyArray<Build>,
): ReadonlyArray<Hand> => [processes(instances, builds), cables(instances)];

/** Cuts and heals the networks between instances and their database. The instances answer all the time. */
export const databaseCables = (proxies: ReadonlyArray<FreezingProxy>): Hand => ({
  name: 'database cables',
  draw: (random) => cutCable('a database cable', [], oneOf(proxies, random), random),
});

/** Locks a SQLite file, like a shell with an open transaction. */
export const lock = (file: string): Hand => ({
  name: 'lock',
  draw: (random) =>
    // Under another lock or on a full disk it gets none.
    lasting('lock the file', [], silenceMs(random), () =>
      sqliteStore(file)
        .holdWriters()
        .catch(() => () => undefined),
    ),
});

/** Takes all free space of a small file system, down to the last page, for a while. */
export const fullDisk = (random: Random, folder: string, sizeBytes: number): Injection =>
  lasting(`fill the disk at ${folder}`, [], random.between(500, longestFullMs), async () => {
    const filler = `${folder}/filler`;
    await fillDisk(filler, sizeBytes);
    return () => rm(filler, { force: true });
  });
