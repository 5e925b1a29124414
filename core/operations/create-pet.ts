import type { TaskEither } from 'fp-ts/TaskEither';
import { checked } from '../codecs/checked';
import type { Deadline } from '../ports/deadline';
import type { IdempotencyKeyInFlight, IdempotencyKeyReused, Unavailable } from '../ports/failures';
import { IdempotencyKey } from '../keys/idempotency-key';
import type { OwnerId } from '../keys/owner-id';
import { NewPet } from '../pets/new-pet';
import type { CreatedPet, PetRepository } from '../ports/pet-repository';

/**
 * Adds an animal; with an idempotency key, a retry of the same creation within 24 hours adds none (`decideCreation`
 * has the rule). At the deadline it ends as Unavailable, and may still be done: a retry under its idempotency key tells.
 * From JavaScript it takes what `NewPet` decodes; anything else is a TypeError.
 */
export type CreatePet = (
  newPet: NewPet,
  idempotencyKey?: IdempotencyKey,
  deadline?: Deadline,
) => TaskEither<IdempotencyKeyReused | IdempotencyKeyInFlight | Unavailable, CreatedPet>;

/** Each owner of API keys has idempotency keys of its own: two owners may use the same text. */
export const createPet =
  (pets: PetRepository, owner: OwnerId): CreatePet =>
  (newPet, idempotencyKey, deadline) =>
    pets.create(
      // A copy: a store may keep it while it waits, and the caller may use his object again.
      NewPet.encode(checked(NewPet, newPet)),
      idempotencyKey === undefined
        ? undefined
        : { owner, idempotencyKey: checked(IdempotencyKey, idempotencyKey) },
      deadline,
    );
