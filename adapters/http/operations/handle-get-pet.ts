import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { inDecimal, PetId } from '../../../core';
import type { HttpFailure } from '../responses/http-failures';
import { serialisePet } from '../representation/serialise';
import { flatMap, map } from '../task-either';
import type { Operation } from './operation';

const decodePetId = (text: string | undefined): E.Either<HttpFailure, PetId> =>
  pipe(
    inDecimal(PetId).decode(text),
    E.mapLeft(() => ({ _tag: 'PetNotFound' })),
  );

/** @deprecated With the operation itself: the interface removes it on 5 December 2030. */
export const handleGetPet: Operation = ({ deadline }, { getPet }, { petId }) =>
  pipe(
    TE.fromEither(decodePetId(petId)),
    flatMap((id) => getPet(id, deadline)),
    map((pet) => ({ status: 200, body: serialisePet(pet) })),
  );
