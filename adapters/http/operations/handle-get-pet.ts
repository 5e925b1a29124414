import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { inDecimal, PetId } from '../../../core';
import { andMap } from '../and-map';
import { andThen } from '../and-then';
import type { Handler } from './handler';
import type { NoSuchPet } from '../responses/http-failures';
import { serialisePet } from '../representation/serialise';

const decodePetId = (text: string | undefined): E.Either<NoSuchPet, PetId> =>
  pipe(
    inDecimal(PetId).decode(text),
    E.mapLeft(() => ({ _tag: 'NoSuchPet' })),
  );

/** @deprecated With the operation itself: the interface removes it on 5 December 2030. */
export const handleGetPet =
  (petId: string | undefined): Handler =>
  (_context, { getPet }) =>
    pipe(
      decodePetId(petId),
      andThen(getPet),
      andMap((pet) => ({ status: 200, body: serialisePet(pet) })),
    );
