import type { TaskEither } from 'fp-ts/TaskEither';
import type { ScopedIdempotencyKey } from '../keys/scoped-idempotency-key';
import type { Deadline } from './deadline';
import type {
  IdempotencyKeyInFlight,
  IdempotencyKeyReused,
  ImportAborted,
  PetNotFound,
  Unavailable,
} from './failures';
import type { NewPet } from '../pets/new-pet';
import type { Pet } from '../pets/pet';
import type { PetId } from '../pets/pet-id';
import type { PetPage } from '../pets/pet-page';
import type { PetQuery } from '../pets/pet-query';

/** An animal in the store; `replayed` when an earlier creation under the same key put it there. */
export interface CreatedPet {
  readonly pet: Pet;
  readonly replayed: boolean;
}

/**
 * The port to where animals are kept. An adapter passes the contract suite of this port.
 *
 * `list` and `find` see every creation that ended before they were called. `create` ends once the animal is as
 * durable as the store makes it; creations under one key within 24 hours make one animal, by the rule
 * of `decideCreation`: an animal that is gone from the store frees its key.
 *
 * At its deadline a call ends as Unavailable, and what it began may still be done: for a create its key tells. One
 * that answers at once need not look at it.
 *
 * `createAll` adds all animals of a source, by ascending ids in its order, or none of them, and answers with how
 * many. Nobody sees one before all are stored; meanwhile the store may refuse other creations. It reads the source
 * once and gives up when that throws. ImportAborted: none is stored; Unavailable: all are, or none.
 */
export interface PetRepository {
  readonly list: (query: PetQuery, deadline?: Deadline) => TaskEither<Unavailable, PetPage>;
  readonly find: (id: PetId, deadline?: Deadline) => TaskEither<PetNotFound | Unavailable, Pet>;
  readonly create: (
    newPet: NewPet,
    key?: ScopedIdempotencyKey,
    deadline?: Deadline,
  ) => TaskEither<IdempotencyKeyReused | IdempotencyKeyInFlight | Unavailable, CreatedPet>;
  readonly createAll: (newPets: AsyncIterable<NewPet>) => TaskEither<ImportAborted | Unavailable, number>;
}
