import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { sqliteStore } from '../support/databases/databases';
import type { FreezingProxy } from '../support/postgres/freezing-proxy';
import type { Random } from '../support/random';
import type { Instance } from './instance';
import { type Hand, type Injection, silenceMs } from './nemesis';
import type { Build } from './settings';

const run = promisify(execFile);

const longestOutageMs = 2_000;
const longestJumpMs = 8_000;

/** Shifts of running instances. At a start the clock is true: a day off would purge the idempotency keys of others. */
const shiftsOfAll = ['-10h', '+10h', '-1y', '+1y'] as const;

const oneOf = (instances: ReadonlyArray<Instance>, random: Random): Instance => {
  const instance = instances[random.below(instances.length)];
  if (instance === undefined) throw new Error('there is no instance');
  return instance;
};

export const processes = (
  instances: ReadonlyArray<Instance>,
  builds: readonly [Build, ...ReadonlyArray<Build>],
): Hand => {
  let restarts = 0;
  return {
    name: 'processes',
    draw: (random): Injection => {
      const instance = oneOf(instances, random);
      const silences = [instance.number];
      const of = `instance ${instance.number}`;
      const build = (): Build => builds[restarts % builds.length] ?? builds[0];
      switch (random.weighted({ kill: 2, stop: 2, restart: 2 })) {
        case 'kill': {
          const outage = random.between(0, longestOutageMs);
          return {
            name: `kill ${of}`,
            silences,
            inject: async (last) => {
              await instance.end('SIGKILL');
              await last(outage);
              await instance.start(build());
            },
          };
        }
        case 'stop': {
          const lasts = silenceMs(random);
          return {
            name: `stop ${of}`,
            silences,
            inject: async (last) => {
              instance.signal('SIGSTOP');
              await last(lasts);
              instance.signal('SIGCONT');
            },
          };
        }
        case 'restart':
          return {
            name: `restart ${of} with the next build`,
            silences,
            inject: async () => {
              restarts += 1;
              await instance.end('SIGTERM');
              await instance.start(build());
            },
          };
      }
    },
  };
};

export const cables = (instances: ReadonlyArray<Instance>): Hand => ({
  name: 'cables',
  draw: (random) => {
    const instance = oneOf(instances, random);
    const how = random.weighted({ freeze: 1, refuse: 1 });
    const lasts = silenceMs(random);
    return {
      name: `${how} the cable of instance ${instance.number}`,
      silences: [instance.number],
      inject: async (last) => {
        instance.cable[how]();
        await last(lasts);
        instance.cable.thaw();
      },
    };
  },
});

export const clocks = (instances: ReadonlyArray<Instance>): Hand => ({
  name: 'clocks',
  draw: (random) => {
    const instance = oneOf(instances, random);
    const shift = random.pick(shiftsOfAll);
    const lasts = random.between(500, longestJumpMs);
    return {
      name: `move the clock of instance ${instance.number} by ${shift}`,
      silences: [],
      inject: async (last) => {
        await instance.moveClock(shift);
        await last(lasts);
        await instance.moveClock('+0');
      },
    };
  },
});

/** Cuts and heals the networks between instances and their database. The instances answer all the time. */
export const databaseCables = (proxies: ReadonlyArray<FreezingProxy>): Hand => ({
  name: 'database cables',
  draw: (random) => {
    const number = random.below(proxies.length);
    const how = random.weighted({ freeze: 1, refuse: 1 });
    const lasts = silenceMs(random);
    return {
      name: `${how} the database cable of instance ${number}`,
      silences: [],
      inject: async (last) => {
        proxies[number]?.[how]();
        await last(lasts);
        proxies[number]?.thaw();
      },
    };
  },
});

/** Locks a SQLite file, like a shell with an open transaction. */
export const lock = (file: string): Hand => ({
  name: 'lock',
  draw: (random) => {
    const lasts = silenceMs(random);
    return {
      name: 'lock the file',
      silences: [],
      inject: async (last) => {
        // Under another lock or on a full disk it gets none.
        const release = await sqliteStore(file)
          .holdWriters()
          .catch(() => undefined);
        await last(lasts);
        await release?.();
      },
    };
  },
});

const longestFullMs = 6_000;
const blockBytes = 4096;

/** Takes all free space of a small file system, down to the last page, for a while. */
export const fillDisk = (random: Random, folder: string, sizeBytes: number): Injection => {
  const lasts = random.between(500, longestFullMs);
  return {
    name: `fill the disk at ${folder}`,
    silences: [],
    inject: async (last) => {
      const filler = `${folder}/filler`;
      let filled = 0;
      // Reserving space without a write takes no time from the faults at the same time.
      for (let piece = sizeBytes; piece >= blockBytes; piece /= 2) {
        const reserve = ['--offset', `${filled}`, '--length', `${piece}`, filler];
        const isReserved = await run('fallocate', reserve).then(
          () => true,
          () => false,
        );
        if (isReserved) filled += piece;
      }
      await last(lasts);
      await rm(filler, { force: true });
    },
  };
};
