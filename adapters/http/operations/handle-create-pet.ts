import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { type CreatedPet, fieldErrors, NewPet } from '../../../core';
import { serialisePet } from '../representation/serialise';
import type { HttpFailure } from '../responses/http-failures';
import type { HttpResponse } from '../responses/http-response';
import { flatMap, flatMapEither, map } from '../task-either';
import { idempotencyKeyHeader } from './idempotency-key-header';
import type { Operation } from './operation';
import { readJsonBody } from './read-json-body';

const decodeNewPet = (body: unknown): E.Either<HttpFailure, NewPet> =>
  pipe(
    NewPet.decode(body),
    E.mapLeft((errors) => ({ _tag: 'InvalidBody', fieldErrors: fieldErrors(errors) })),
  );

const toResponse = ({ pet, replayed }: CreatedPet): HttpResponse => {
  // Relative to /v1/pets, so that it holds behind any prefix (RFC 9110, section 10.2.2).
  const location = { Location: `pets/${pet.id}` };
  return {
    status: 201,
    body: serialisePet(pet),
    headers: replayed ? { ...location, 'Idempotent-Replayed': 'true' } : location,
  };
};

export const handleCreatePet: Operation = (request, { createPet }) =>
  pipe(
    TE.fromEither(idempotencyKeyHeader(request.message.headers['idempotency-key']?.toString())),
    flatMap((idempotencyKey) =>
      pipe(
        readJsonBody(request),
        flatMapEither(decodeNewPet),
        flatMap((newPet) => createPet(newPet, idempotencyKey, request.deadline)),
      ),
    ),
    map(toResponse),
  );
