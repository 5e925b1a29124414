import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { int64FromText } from '../../../core';
import { serialisePet } from '../../json';
import type { HttpFailure } from '../errors';
import { jsonReply } from '../reply';
import type { Handle } from './request';

const notFound: HttpFailure = { _tag: 'PetNotFound' };

/**
 * Handles `GET /v1/pets/:petId`.
 * @deprecated The API removes this operation on 5 December 2030.
 */
export const handleGetPet: Handle = ({ store, petId, deadline }) =>
  pipe(
    TE.fromNullable(notFound)(int64FromText(petId)),
    TE.flatMap((id) => store.getPet(id, deadline())),
    TE.map((pet) => jsonReply(200, serialisePet(pet))),
  );
