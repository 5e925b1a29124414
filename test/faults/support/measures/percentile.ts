/** The value that a part of them, as in 0.99, does not exceed; NaN of none. */
export const percentile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
};

export const median = (values: ReadonlyArray<number>): number => percentile(values, 0.5);
