/** In milliseconds: the rate is that of the window that goes on, or of the one before it where that was faster. */
const windowLength = 250;

/** In milliseconds: a shorter part of a window says nothing, as requests end in batches. */
const shortestSample = 100;

/** How fast requests are done while others wait. While nobody waits, as many are done as come, which says nothing. */
export interface ServiceRate {
  /** Requests begin to wait. */
  readonly restart: () => void;
  /** A request is done. */
  readonly recordDeparture: () => void;
  /** How long it takes until so many are done, in milliseconds: while none was yet, at least as long as it took so far. */
  readonly expectedWait: (count: number) => number;
}

export const serviceRate = (): ServiceRate => {
  let began = 0;
  let departures = 0;
  let rateBefore = 0;
  return {
    restart: () => {
      began = performance.now();
      departures = 0;
      rateBefore = 0;
    },
    recordDeparture: () => {
      departures += 1;
    },
    expectedWait: (count) => {
      const elapsed = performance.now() - began;
      const rateNow = elapsed >= shortestSample ? departures / elapsed : 0;
      const rate = Math.max(rateBefore, rateNow);
      if (elapsed >= windowLength && departures > 0) {
        rateBefore = rateNow;
        began += elapsed;
        departures = 0;
      }
      return rate === 0 ? elapsed : count / rate;
    },
  };
};
