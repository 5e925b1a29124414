import type { Either } from 'fp-ts/Either';
import type { NewPet } from '../../../core';

/** One row of a file: the line that it begins on, from 1, and its animal, or in words why it is none. */
export interface Row {
  readonly line: number;
  readonly newPet: Either<string, NewPet>;
}
