/** In milliseconds. The rate is that of the window before, or of the one that goes on where that is faster already. */
const windowLength = 250;

/** How fast requests are done while others wait. While nobody waits, as many are done as come, which says nothing. */
export interface ServiceRate {
  /** Requests begin to wait. */
  readonly restart: () => void;
  /** A request is done. */
  readonly recordDeparture: () => void;
  /** For how long they have been waiting without a pause, in milliseconds. */
  readonly elapsed: () => number;
  /** Requests done in a millisecond. */
  readonly current: () => number;
}

export const serviceRate = (): ServiceRate => {
  let began = 0;
  let windowBegan = 0;
  let departures = 0;
  let rateBefore = 0;
  return {
    restart: () => {
      began = performance.now();
      windowBegan = began;
      departures = 0;
      rateBefore = 0;
    },
    recordDeparture: () => {
      departures += 1;
    },
    elapsed: () => performance.now() - began,
    current: () => {
      const length = performance.now() - windowBegan;
      const rateNow = departures / Math.max(length, windowLength);
      const rate = Math.max(rateBefore, rateNow);
      if (length >= windowLength) {
        rateBefore = rateNow;
        windowBegan += length;
        departures = 0;
      }
      return rate;
    },
  };
};
