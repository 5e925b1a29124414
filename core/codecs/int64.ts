import { fromCompare, type Ord } from 'fp-ts/Ord';
import * as t from 'io-ts';
import type { Branded } from './brand';

/** A whole number from -9223372036854775808 to 9223372036854775807, kept as a bigint. */
export type Int64 = Branded<bigint, 'Int64'>;

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

/** By value, and equality with it. */
export const ordInt64: Ord<Int64> = fromCompare((one, other) => (one < other ? -1 : one > other ? 1 : 0));
