const decimal = /^-?[0-9]{1,19}$/;

/** The int64 in decimal text, or undefined. */
export const parseInt64 = (text) => {
  if (!decimal.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
};
