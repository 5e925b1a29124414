import { setTimeout as delay } from 'node:timers/promises';
import { type Random, randomFrom } from '../support/random';
import type { Fault } from './history';

/** Resolves after some milliseconds, or when the run is over. */
export type Last = (milliseconds: number) => Promise<void>;

export interface Injection {
  readonly name: string;
  /** Instances that are stopped or unreachable while it lasts. */
  readonly silences: ReadonlyArray<number>;
  readonly inject: (last: Last) => Promise<void>;
}

export interface Hand {
  readonly name: string;
  readonly draw: (random: Random) => Injection;
}

/** Makes a fault that lasts for some milliseconds. `begin` returns a function that takes it back. */
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

/** Injects faults of all hands at once until the time is over. Resolves when all are taken back. */
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

/** Draws a duration: one in four is longer than any deadline. Most are short, since all clients wait for those. */
export const silenceMs = (random: Random): number =>
  random.below(4) === 0 ? 6_500 : random.between(100, 1_500);
