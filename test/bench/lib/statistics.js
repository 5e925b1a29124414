/** The middle value; of an even count the lower of the two in the middle. */
export const median = (values) =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)];

/** Rounded to `digits` decimal places. */
export const round = (value, digits = 0) => Number(value.toFixed(digits));
