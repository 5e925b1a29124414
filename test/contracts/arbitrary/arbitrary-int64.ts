import { Int64 } from '../../../core';
import { decoded } from '../outcome';
import { arbitraryNumber } from './arbitrary-number';

/** Any int64; most are past what a double holds exactly. */
export const arbitraryInt64 = (): Int64 => {
  const half = () => BigInt(arbitraryNumber(0, 2 ** 32 - 1));
  return decoded(Int64, BigInt.asIntN(64, (half() << 32n) | half()));
};
