import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { faultTexts, fieldFaults, NewPet } from '../../core';

/** The animal that a row describes, or in words why it is none. */
export const decodeNewPet = (value: unknown): E.Either<string, NewPet> =>
  pipe(
    NewPet.decode(value),
    E.mapLeft((errors) => faultTexts(fieldFaults(errors)).join('; ')),
  );
