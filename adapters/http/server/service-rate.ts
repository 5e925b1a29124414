/** In milliseconds. The rate is that of the window before, or of the one that goes on where that is faster already. */
const windowLength = 250;

/** How fast requests are done while others wait. While nobody waits, as many are done as come, which says nothing. */
export const serviceRate = () => {
  let began = 0;
  let windowBegan = 0;
  let departures = 0;
  let rateBefore = 0;
  return {
    /** Requests begin to wait. */
    restart: (): void => {
      began = performance.now();
      windowBegan = began;
      departures = 0;
      rateBefore = 0;
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
