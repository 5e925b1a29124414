/** In milliseconds. */
const windowLength = 250;

/** The rate is the best of so many windows, or of the one that goes on: a store that pauses for less is no slow store. */
const windowsRemembered = 4;

/** How fast requests are done while others wait. While nobody waits, as many are done as come, which says nothing. */
export const serviceRate = () => {
  let began = 0;
  let windowBegan = 0;
  let departures = 0;
  let ratesBefore: ReadonlyArray<number> = [];
  return {
    /** Requests begin to wait. */
    restart: (): void => {
      began = performance.now();
      windowBegan = began;
      departures = 0;
      ratesBefore = [];
    },
    /** A request is done. */
    recordDeparture: (): void => {
      departures += 1;
    },
    /** For how long they have been waiting without a pause, in milliseconds. */
    elapsed: (): number => performance.now() - began,
    /** Requests done in a millisecond. */
    current: (): number => {
      const length = performance.now() - windowBegan;
      const rateNow = departures / Math.max(length, windowLength);
      const rate = Math.max(rateNow, ...ratesBefore);
      if (length >= windowLength) {
        ratesBefore = [rateNow, ...ratesBefore.slice(0, windowsRemembered - 1)];
        windowBegan += length;
        departures = 0;
      }
      return rate;
    },
  };
};
