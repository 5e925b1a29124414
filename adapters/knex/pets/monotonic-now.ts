/** The time in milliseconds since 1970, by the clock at the start of the process: one that is set later changes nothing. */
export const monotonicNow = (): number => Math.round(performance.timeOrigin + performance.now());
