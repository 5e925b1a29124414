import type * as t from 'io-ts';
import { decodeOrThrow } from './decode-or-throw';

/**
 * What a program passes as a codec's own value: TypeScript proves that it is one, JavaScript does not. A value that is
 * one passes as it is; what the codec takes is decoded; anything else is a TypeError.
 */
export const checked = <A>(codec: t.Type<A, unknown>, value: A): A =>
  codec.is(value) ? value : decodeOrThrow(codec, value);

/** The same of a value that may be left out. */
export const checkedIfGiven = <A>(codec: t.Type<A, unknown>, value: A | undefined): A | undefined =>
  value === undefined ? undefined : checked(codec, value);
