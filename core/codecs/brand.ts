import * as t from 'io-ts';
import { described } from './described';

/** Values of A that a codec of this name has checked; nothing else makes one. */
export type Branded<A, Name extends string> = t.Branded<A, Readonly<Record<Name, symbol>>>;

interface Rule<A> {
  readonly holds: (value: A) => boolean;
  /** What was expected, as a failure says it after "must be". */
  readonly expected: string;
}

/** The codec of a branded type: of values that another codec takes and for which the rule, if there is one, holds. */
export const brand = <Name extends string, A, O>(
  name: Name,
  codec: t.Type<A, O>,
  rule?: Rule<A>,
): t.Type<Branded<A, Name>, O> => {
  const branded = t.brand(
    codec,
    (value): value is Branded<A, Name> => rule === undefined || rule.holds(value),
    name,
  );
  return rule === undefined ? branded : described(branded, rule.expected);
};
