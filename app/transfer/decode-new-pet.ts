import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { type FieldFault, fieldFaults, NewPet } from '../../core';

const inWords = (faults: ReadonlyArray<FieldFault>): string =>
  faults.map(({ field, expected }) => `${field === '' ? 'it' : field} must be ${expected}`).join('; ');

/** The animal that a row describes, or in words why it is none. */
export const decodeNewPet = (value: unknown): E.Either<string, NewPet> =>
  pipe(
    NewPet.decode(value),
    E.mapLeft((errors) => inWords(fieldFaults(errors))),
  );
