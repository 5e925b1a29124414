import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { type CreatedPet, fieldFaults, NewPet } from '../../core';
import type { Answer } from './answer';
import type { Handler } from './handler';
import type { InvalidBody } from './http-failures';
import { idempotencyKeyHeader } from './idempotency-key-header';
import { readJsonBody } from './read-json-body';
import { serialisePet } from './serialise';

const decodeNewPet = (body: unknown): E.Either<InvalidBody, NewPet> =>
  pipe(
    NewPet.decode(body),
    E.mapLeft((errors) => ({ _tag: 'InvalidBody', faults: fieldFaults(errors) })),
  );

const toAnswer = ({ pet, replayed }: CreatedPet): Answer => ({
  status: 201,
  body: serialisePet(pet),
  headers: replayed ? { 'Idempotent-Replayed': 'true' } : {},
});

export const handleCreatePet: Handler = (context, { createPet }) =>
  pipe(
    TE.Do,
    TE.bind('idempotencyKey', () =>
      TE.fromEither(idempotencyKeyHeader(context.headers['idempotency-key']?.toString())),
    ),
    TE.bindW('body', () => readJsonBody(context)),
    TE.bindW('newPet', ({ body }) => TE.fromEither(decodeNewPet(body))),
    TE.flatMap(({ newPet, idempotencyKey }) => createPet(newPet, idempotencyKey)),
    TE.map(toAnswer),
  );
