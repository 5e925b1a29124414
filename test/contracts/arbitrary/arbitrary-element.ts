import { arbitraryNumber } from './arbitrary-number';

/** One of several values, at random. */
export const arbitraryElement = <A>(first: A, ...others: ReadonlyArray<A>): A =>
  others[arbitraryNumber(-1, others.length - 1)] ?? first;
