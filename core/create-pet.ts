import type { TaskEither } from 'fp-ts/TaskEither';
import type { Caller } from './caller';
import type { Deadline } from './deadline';
import type { IdempotencyKeyInFlight, IdempotencyKeyReused, Unavailable } from './failures';
import type { IdempotencyKey } from './idempotency-key';
import type { NewPet } from './new-pet';
import type { CreatedPet, PetRepository } from './pet-repository';

/**
 * Adds an animal; with an idempotency key, a retry of the same creation within 24 hours adds none. At the deadline it
 * ends as Unavailable, and may still be done: a retry under its idempotency key tells.
 */
export type CreatePet = (
  newPet: NewPet,
  idempotencyKey?: IdempotencyKey,
  deadline?: Deadline,
) => TaskEither<IdempotencyKeyReused | IdempotencyKeyInFlight | Unavailable, CreatedPet>;

export const createPet =
  (pets: PetRepository) =>
  (caller: Caller): CreatePet =>
  (newPet, idempotencyKey, deadline) =>
    pets.create(
      newPet,
      idempotencyKey === undefined ? undefined : { caller: caller.keyId, idempotencyKey },
      deadline,
    );
