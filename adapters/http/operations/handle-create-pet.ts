import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type * as TE from 'fp-ts/TaskEither';
import type { Context } from 'koa';
import { type CreatedPet, fieldFaults, NewPet } from '../../../core';
import { andMap } from '../and-map';
import { andThen } from '../and-then';
import type { Answer } from '../responses/answer';
import type { Handler } from './handler';
import type { HttpFailure, InvalidBody } from '../responses/http-failures';
import { idempotencyKeyHeader } from './idempotency-key-header';
import { readJsonBody, type Unreadable } from './read-json-body';
import { serialisePet } from '../representation/serialise';

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

const readNewPet =
  (context: Context): TE.TaskEither<Unreadable | InvalidBody, NewPet> =>
  async () => {
    const body = await readJsonBody(context)();
    return E.isLeft(body) ? body : decodeNewPet(body.right);
  };

export const handleCreatePet: Handler = (context, { createPet }) =>
  pipe(
    idempotencyKeyHeader(context.headers['idempotency-key']?.toString()),
    andThen((idempotencyKey) => async (): Promise<E.Either<HttpFailure, CreatedPet>> => {
      const newPet = await readNewPet(context)();
      return E.isLeft(newPet) ? newPet : await createPet(newPet.right, idempotencyKey)();
    }),
    andMap(toAnswer),
  );
