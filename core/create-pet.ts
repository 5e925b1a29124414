import type { TaskEither } from 'fp-ts/TaskEither';
import type { Caller } from './caller';
import type { IdempotencyKeyInFlight, IdempotencyKeyReused, Unavailable } from './failures';
import type { IdempotencyKey } from './idempotency-key';
import type { NewPet } from './new-pet';
import type { CreatedPet, PetRepository } from './pet-repository';

/** Adds an animal; with an idempotency key, a retry of the same creation within 24 hours adds none. */
export type CreatePet = (
  newPet: NewPet,
  idempotencyKey?: IdempotencyKey,
) => TaskEither<IdempotencyKeyReused | IdempotencyKeyInFlight | Unavailable, CreatedPet>;

export const createPet =
  (pets: PetRepository) =>
  (caller: Caller): CreatePet =>
  (newPet, idempotencyKey) =>
    idempotencyKey === undefined
      ? pets.create(newPet)
      : pets.create(newPet, { caller: caller.keyId, idempotencyKey });
