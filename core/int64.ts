import * as t from 'io-ts';
import type { FromDecodeOrThrow } from './codec';

const is64Bits = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/**
 * Makes the codec of a branded int64, which accepts bigints in range and safe integers. Other numbers have lost digits.
 */
export const int64 = <B extends bigint>(name: string): t.Type<B, bigint> => {
  const is = (value: unknown): value is B => typeof value === 'bigint' && is64Bits(value);
  return new t.Type<B, bigint, unknown>(
    name,
    is,
    (input, context) => {
      const value = typeof input === 'number' && Number.isSafeInteger(input) ? BigInt(input) : input;
      return is(value)
        ? t.success(value)
        : t.failure(input, context, 'an integer from -9223372036854775808 to 9223372036854775807');
    },
    (value) => value,
  );
};

/** An integer from -9223372036854775808 to 9223372036854775807. */
export type Int64 = bigint & FromDecodeOrThrow<'Int64'>;
export const Int64: t.Type<Int64, bigint> = int64('Int64');

// Limits the significant digits, since BigInt is slow for long texts.
const decimal = /^-?0*[0-9]{1,19}$/;

export const inDecimal = <A extends bigint>(integer: t.Type<A, bigint>): t.Type<A, string> =>
  new t.Type<A, string, unknown>(
    `${integer.name} in decimal`,
    integer.is,
    (input, context) =>
      typeof input === 'string' && decimal.test(input)
        ? integer.validate(BigInt(input), context)
        : t.failure(input, context, 'an int64 in decimal digits'),
    String,
  );
