import { createHistogram } from 'node:perf_hooks';

/** How many there were; times are in milliseconds, NaN of none. */
export interface Tally {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Nobody. */
export const noTally: Tally = { count: 0, p50: NaN, p99: NaN, max: NaN };

const microseconds = 1_000;

/** Counts durations without keeping each. */
export const newTally = () => {
  const histogram = createHistogram();
  return {
    record: (milliseconds: number): void => {
      histogram.record(Math.max(1, Math.round(milliseconds * microseconds)));
    },
    read: (): Tally =>
      histogram.count === 0
        ? noTally
        : {
            count: histogram.count,
            p50: histogram.percentile(50) / microseconds,
            p99: histogram.percentile(99) / microseconds,
            max: histogram.max / microseconds,
          },
  };
};

/** The same, apart for each name, as of a status. */
export const newTallies = () => {
  const tallies = new Map<string, ReturnType<typeof newTally>>();
  return {
    record: (name: string, milliseconds: number): void => {
      let tally = tallies.get(name);
      if (tally === undefined) {
        tally = newTally();
        tallies.set(name, tally);
      }
      tally.record(milliseconds);
    },
    read: (): Readonly<Record<string, Tally>> =>
      Object.fromEntries([...tallies].map(([name, tally]) => [name, tally.read()])),
  };
};
