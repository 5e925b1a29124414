import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { fieldErrorTexts, fieldErrors, NewPet } from '../../../core';

/** So that a row that an export writes of an animal never passes the limit of a row, whichever way it was written in. */
const maxNameBytes = 1_000_000;

/** The animal that a row describes, or in words why it is none. */
export const decodeRow = (value: unknown): E.Either<string, NewPet> =>
  pipe(
    NewPet.decode(value),
    E.mapLeft((errors) => fieldErrorTexts(fieldErrors(errors)).join('; ')),
    E.filterOrElse(
      ({ name }) => Buffer.byteLength(name) <= maxNameBytes,
      () => `name must be at most ${maxNameBytes} bytes in UTF-8`,
    ),
  );
