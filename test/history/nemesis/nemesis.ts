import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from '../history';
import { type Random, randomFrom } from '../../support/random';

/** Ends after some milliseconds, or when the run is over. */
export type Last = (milliseconds: number) => Promise<void>;

/** A fault that was drawn: it is done, lasts, and is taken back. */
export interface Injection {
  readonly name: string;
  /** The instances that are not running, or can't be reached, meanwhile. */
  readonly silences: ReadonlyArray<number>;
  readonly inject: (last: Last) => Promise<void>;
}

/** Draws one fault after another. */
export interface Hand {
  readonly name: string;
  readonly draw: (random: Random) => Injection;
}

/** In milliseconds. */
const longestRest = 2_500;

interface Course {
  readonly seed: number;
  readonly hands: ReadonlyArray<Hand>;
  readonly milliseconds: number;
  readonly now: () => number;
}

/** Injects faults, those of each hand beside those of the others; ends when the time is over and all is taken back. */
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
      await last(random.between(0, longestRest));
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
