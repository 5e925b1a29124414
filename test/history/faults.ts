import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fillDisk } from '../faults/support/machine';
import { sqliteStore } from '../support/databases/databases';
import type { FreezingProxy } from '../support/postgres/freezing-proxy';
import { type Random, randomFrom } from '../support/random';
import type { Fault } from './history';
import { builds, type Instance } from './instance';

/** Resolves after some milliseconds, or when the run is over. */
type Last = (milliseconds: number) => Promise<void>;

export interface Injection {
  readonly name: string;
  /** Instances that are stopped or unreachable during the fault. */
  readonly silences: ReadonlyArray<number>;
  readonly inject: (last: Last) => Promise<void>;
}

export interface Hand {
  readonly name: string;
  readonly draw: (random: Random) => Injection;
}

/** Makes a fault that lasts for some milliseconds. `begin` returns a function that ends the fault. */
export const lasting = (
  name: string,
  silences: ReadonlyArray<number>,
  milliseconds: number,
  begin: () => (() => unknown) | Promise<() => unknown>,
): Injection => ({
  name,
  silences,
  inject: async (last) => {
    const end = await begin();
    await last(milliseconds);
    await end();
  },
});

const longestRestMs = 2_500;

interface Course {
  readonly seed: number;
  readonly hands: ReadonlyArray<Hand>;
  readonly milliseconds: number;
  readonly now: () => number;
}

/**
 * Injects faults from all hands (sources of faults) at the same time, until the time is over. Resolves when all faults
 * have ended.
 */
export const runNemesis = async ({
  seed,
  hands,
  milliseconds,
  now,
}: Course): Promise<ReadonlyArray<Fault>> => {
  const faults: Array<Fault> = [];
  const over = new AbortController();
  const last: Last = (duration) => delay(duration, undefined, { signal: over.signal }).catch(() => undefined);
  const play = async (hand: Hand): Promise<void> => {
    const random = randomFrom(seed, hand.name);
    for (;;) {
      await last(random.between(0, longestRestMs));
      if (over.signal.aborted) return;
      const { name, silences, inject } = hand.draw(random);
      const began = now();
      await inject(last).catch((error: unknown) => {
        const since = `since ${Math.round(began)} ms`;
        throw new Error(`the fault could not be taken back: ${name} ${since}: ${String(error)}`, {
          cause: error,
        });
      });
      faults.push({ name, began, ended: now(), silenced: silences });
    }
  };
  const timer = setTimeout(() => {
    over.abort();
  }, milliseconds);
  try {
    await Promise.all(hands.map(play));
  } finally {
    over.abort();
    clearTimeout(timer);
  }
  return faults;
};

/**
 * Draws a duration. One in four is longer than any deadline. The others are short, because clients wait for the end of
 * a fault.
 */
export const silenceMs = (random: Random): number =>
  random.below(4) === 0 ? 6_500 : random.between(100, 1_500);

export const longestOutageMs = 2_000;
const longestFullMs = 6_000;

const oneOf = <A>(all: ReadonlyArray<A>, random: Random): A => {
  const one = all[random.below(all.length)];
  if (one === undefined) throw new Error('there is nothing to draw from');
  return one;
};

/** Kills, stops and restarts instances. Each restart is with the next build. */
const processes = (instances: ReadonlyArray<Instance>): Hand => {
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

export const instanceFaults = (instances: ReadonlyArray<Instance>): ReadonlyArray<Hand> => [
  processes(instances),
  cables(instances),
];

/** Cuts and heals the networks between instances and their database. The instances must still answer. */
export const databaseCables = (proxies: ReadonlyArray<FreezingProxy>): Hand => ({
  name: 'database cables',
  draw: (random) => cutCable('a database cable', [], oneOf(proxies, random), random),
});

/** Locks a SQLite file, like a shell with an open transaction. */
export const lock = (file: string): Hand => ({
  name: 'lock',
  draw: (random) =>
    // If the file is already locked or its disk is full, this fault gets no lock and does nothing.
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
