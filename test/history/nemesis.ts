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
  const running = new Map<string, string>();
  const over = new AbortController();
  const last: Last = (duration) => delay(duration, undefined, { signal: over.signal }).catch(() => undefined);
  const play = async ({ name, draw }: Hand): Promise<void> => {
    const random = randomFrom(seed, name);
    for (;;) {
      await last(random.between(0, longestRestMs));
      if (over.signal.aborted) return;
      const injection = draw(random);
      const began = now();
      running.set(name, `${injection.name} since ${Math.round(began)} ms`);
      await injection.inject(last);
      running.delete(name);
      faults.push({ name: injection.name, began, ended: now(), silenced: injection.silences });
    }
  };
  const timer = setTimeout(() => {
    over.abort();
  }, milliseconds);
  try {
    await Promise.all(hands.map(play));
  } catch (error) {
    const inCourse = [...running.values()].join('; ');
    throw new Error(`a fault could not be taken back: ${String(error)}\nin course: ${inCourse}`, {
      cause: error,
    });
  } finally {
    over.abort();
    clearTimeout(timer);
  }
  return faults;
};

/** Draws a duration: one in four is longer than any deadline. Most are short, since all clients wait for those. */
export const silenceMs = (random: Random): number =>
  random.below(4) === 0 ? 6_500 : random.between(100, 1_500);
