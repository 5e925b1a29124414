import * as t from 'io-ts';
import type { Int64 } from './int64';

// At most 19 digits that count: a long run of them never reaches BigInt.
const decimal = /^-?0*[0-9]{1,19}$/;

/** The codec of the same integer written in plain decimal digits, as in an address, a command or a row. */
export const inDecimal = <A extends Int64>(integer: t.Type<A, bigint>): t.Type<A, string> =>
  new t.Type<A, string, unknown>(
    `${integer.name} in decimal`,
    integer.is,
    (input, context) =>
      typeof input === 'string' && decimal.test(input)
        ? integer.validate(BigInt(input), context)
        : t.failure(input, context, 'an int64 in decimal digits'),
    String,
  );
