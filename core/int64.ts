import * as t from 'io-ts';

/** Tells an Int64 from any bigint. */
export interface Int64Brand {
  readonly Int64: unique symbol;
}

/** A whole number from -9223372036854775808 to 9223372036854775807, kept as a bigint. */
export type Int64 = t.Branded<bigint, Int64Brand>;

const isInt64 = (value: unknown): value is Int64 =>
  typeof value === 'bigint' && BigInt.asIntN(64, value) === value;

const toBigInt = (value: unknown): unknown =>
  typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;

/**
 * Takes a bigint in range, or a number that a double holds exactly (an unsafe one has lost its last digits
 * already). Fails for everything else.
 */
export const Int64 = new t.Type<Int64, bigint, unknown>(
  'Int64',
  isInt64,
  (input, context) => {
    const value = toBigInt(input);
    return isInt64(value)
      ? t.success(value)
      : t.failure(input, context, 'an integer from -9223372036854775808 to 9223372036854775807');
  },
  (value) => value,
);
