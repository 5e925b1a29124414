import type { TaskEither } from 'fp-ts/TaskEither';
import type { ApiKey, Caller, KeyId, OwnerId } from './api-keys';
import type {
  IdempotencyKeyInFlight,
  IdempotencyKeyReused,
  ImportAborted,
  InvalidApiKey,
  PetDeleted,
  PetNotFound,
  Unavailable,
} from './failures';
import type { ScopedIdempotencyKey } from './idempotency';
import type { NewPet, Pet, PetChanges, PetPage, PetQuery } from './pets';
import type { Quota } from './quota';

/**
 * Time by `performance.now()` after which the caller of a port ignores the result. A port may skip work that would end
 * later, but need not end a call at its deadline.
 */
export type Deadline = number;

/**
 * Authentication port. Returns the caller to whom an API key belongs. Adapters must pass the contract suite
 * `authenticateContract`.
 */
export type Authenticate = (
  apiKey: ApiKey,
  deadline?: Deadline,
) => TaskEither<InvalidApiKey | Unavailable, Caller>;

/**
 * Rate limit port. Counts one request of an owner. A call that fails with Unavailable may still have counted the
 * request. Adapters must pass the contract suite `consumeQuotaContract`.
 */
export type ConsumeQuota = (ownerId: OwnerId, deadline?: Deadline) => TaskEither<Unavailable, Quota>;

/** Result of a create. `replayed` is true if an earlier create with the same idempotency key added the animal. */
export interface CreatedPet {
  readonly pet: Pet;
  readonly replayed: boolean;
}

/** Number of the animals that an import added, and their first and last id. An empty import has no ids. */
export interface ImportedPets {
  readonly count: number;
  readonly firstId: bigint | undefined;
  readonly lastId: bigint | undefined;
}

/** Callback that receives the ids of an import in batches, in ascending order. */
export type OnIds = (ids: ReadonlyArray<bigint>) => Promise<void>;

/** Port to the animals, for callers with an API key. Adapters must pass the contract suite `petRepositoryContract`. */
export interface PetRepository {
  /**
   * Reads one page. Sees every animal whose create was acknowledged before the call. A query with a value that no store
   * can hold, such as an id beyond int64, finds no animals or fails with Unavailable.
   */
  readonly list: (query: PetQuery, deadline?: Deadline) => TaskEither<Unavailable, PetPage>;
  /** Reads one animal by its id. An id outside the range of int64 is an unknown id. */
  readonly find: (id: bigint, deadline?: Deadline) => TaskEither<PetNotFound | Unavailable, Pet>;
  /**
   * Adds an animal, and resolves once the animal is stored durably. With `idempotency`, a retry adds no second animal,
   * and gets the result of `resolveIdempotentCreate`. While another create with the same key runs, the call waits for
   * its end or fails with IdempotencyKeyInFlight. `createdBy` is the API key that adds the animal, for a repository
   * that records it. Fails with Unavailable if `validNewPet` rejects the animal.
   */
  readonly create: (
    newPet: NewPet,
    options?: {
      readonly idempotency?: ScopedIdempotencyKey | undefined;
      readonly createdBy?: KeyId | undefined;
      readonly deadline?: Deadline | undefined;
    },
  ) => TaskEither<IdempotencyKeyReused | PetDeleted | IdempotencyKeyInFlight | Unavailable, CreatedPet>;
}

/**
 * Port for operators, who correct, delete and import animals without an API key. Works on the animals of a
 * PetRepository. An id outside the range of int64 is an unknown id. Adapters must pass the contract suite
 * `petMaintenanceContract`.
 */
export interface PetMaintenance {
  /**
   * Changes the given fields of an animal, and returns the animal. Resolves once the changes are durable and visible to
   * later reads. Fails with Unavailable, and changes nothing, if `validPetChanges` rejects the changes.
   */
  readonly update: (id: bigint, changes: PetChanges) => TaskEither<PetNotFound | Unavailable, Pet>;
  /**
   * Deletes the animals with these ids, all or none, and returns how many existed. Keeps the idempotency keys of their
   * creates. Reads `ids` once, and fails with Unavailable if that throws. After Unavailable, the call can be repeated.
   */
  readonly deleteByIds: (ids: Iterable<bigint>) => TaskEither<Unavailable, number>;
  /**
   * Adds all animals of a source or none, and returns their number, first and last id. The ids ascend in the order of
   * the source. `onIds` gets every id before the animals are stored. Reads the source once, and stops reading at an
   * error. Fails with ImportAborted, and stores nothing, if an animal is invalid, or if the source, `onIds` or the
   * store fails before the commit. After Unavailable, either all animals are stored or none. Readers see none before
   * all are stored. During an import, the store may reject creates.
   */
  readonly importAll: (
    newPets: AsyncIterable<NewPet>,
    onIds?: OnIds,
  ) => TaskEither<ImportAborted | Unavailable, ImportedPets>;
}

/** Ports of a store. Without `consumeQuota`, requests are not limited. */
export interface Ports {
  readonly pets: PetRepository;
  readonly authenticate: Authenticate;
  readonly consumeQuota?: ConsumeQuota | undefined;
}
