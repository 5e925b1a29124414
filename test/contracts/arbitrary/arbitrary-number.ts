import { random } from './random';

/** A random whole number, both ends included. */
export const arbitraryNumber = (from: number, to: number): number =>
  from + Math.floor(random() * (to - from + 1));
