import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { decodeOrThrow } from './codec';
import { ApiKey, type Caller, IdempotencyKey } from './keys';
import {
  defaultPageSize,
  largestPageSize,
  ListPetsQuery,
  NewPet,
  type Pet,
  PetId,
  type PetPage,
  type PetQuery,
} from './pets';
import {
  type Authenticate,
  type CreatedPet,
  type Deadline,
  endAtDeadline,
  type IdempotencyKeyInFlight,
  type IdempotencyKeyReused,
  type ImportAborted,
  type ImportedPets,
  type InvalidApiKey,
  invalidApiKey,
  type PetNotFound,
  type PetRepository,
  type Unavailable,
} from './ports';

export interface Ports {
  readonly pets: PetRepository;
  readonly authenticate: Authenticate;
}

/**
 * Operations of an authenticated caller. Each fails with Unavailable at its deadline. If an argument is invalid, which
 * is possible only from JavaScript, the promise rejects with a TypeError.
 */
export interface AnimalStore {
  readonly caller: Caller;
  /** Reads one page of at most `limit` animals, by default 20. */
  readonly listPets: (
    query?: { readonly [K in keyof PetQuery]?: PetQuery[K] | undefined },
    deadline?: Deadline,
  ) => TaskEither<Unavailable, PetPage>;
  /**
   * Adds an animal. A retry with the same idempotency key within 24 hours adds no second animal. A create that fails
   * with Unavailable may still have added its animal: retry it with the same key.
   */
  readonly createPet: (
    newPet: NewPet,
    idempotencyKey?: IdempotencyKey,
    deadline?: Deadline,
  ) => TaskEither<IdempotencyKeyReused | IdempotencyKeyInFlight | Unavailable, CreatedPet>;
  /**
   * Reads one animal by its id, such as `decodeOrThrow(PetId, 7n)`.
   * @deprecated Will be removed on 5 December 2030. Use `listPets` instead, with the previous id as `after` and 1 as
   * `limit`.
   */
  readonly getPet: (id: PetId, deadline?: Deadline) => TaskEither<PetNotFound | Unavailable, Pet>;
}

/**
 * Opens the store with an API key. Fails with Unavailable at the deadline, which does not apply to the operations of
 * the store. A malformed key, which is possible only from JavaScript, fails like an unknown key.
 */
export type OpenAnimalStore = (
  apiKey: ApiKey,
  deadline?: Deadline,
) => TaskEither<InvalidApiKey | Unavailable, AnimalStore>;

const operationsOn = (pets: PetRepository, caller: Caller): AnimalStore => ({
  caller,
  listPets: (query = {}, deadline) =>
    endAtDeadline(() => {
      const decoded = decodeOrThrow(ListPetsQuery, query);
      return pets.list({ limit: defaultPageSize, ...decoded }, deadline)();
    }, deadline),
  createPet: (newPet, idempotencyKey, deadline) =>
    endAtDeadline(() => {
      const key =
        idempotencyKey === undefined
          ? undefined
          : {
              ownerId: caller.ownerId,
              idempotencyKey: decodeOrThrow(IdempotencyKey, idempotencyKey),
            };
      // Decode here to copy the animal, so that the caller may change its own object while the store waits.
      return pets.create(decodeOrThrow(NewPet, newPet), key, deadline)();
    }, deadline),
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the API keeps getPet until 5 December 2030
  getPet: (id, deadline) => endAtDeadline(() => pets.find(decodeOrThrow(PetId, id), deadline)(), deadline),
});

/**
 * Makes a store from its ports, for app/serve/serve.ts and for programs that embed the store. Only an API key that
 * `authenticate` accepts gives access to the operations.
 */
export const openAnimalStore =
  ({ pets, authenticate }: Ports): OpenAnimalStore =>
  (apiKey, deadline) =>
    endAtDeadline(async () => {
      if (!ApiKey.is(apiKey)) return E.left(invalidApiKey('unknown'));
      const caller = await authenticate(apiKey, deadline)();
      return E.isLeft(caller) ? caller : E.right(operationsOn(pets, caller.right));
    }, deadline);

async function* decodeAll(newPets: Iterable<NewPet> | AsyncIterable<NewPet>): AsyncGenerator<NewPet> {
  for await (const newPet of newPets) yield decodeOrThrow(NewPet, newPet);
}

/**
 * Adds all animals of a source or none, and returns their number and ids. Needs no API key, only the repository.
 * app/commands/import.ts calls it.
 * Fails with ImportAborted, and stores no animal, if the source throws, an animal is invalid or the store rejects the
 * import. Fails with Unavailable if the store does not confirm the commit; then either all animals are stored or none.
 */
export const importAll =
  (
    pets: PetRepository,
    newPets: Iterable<NewPet> | AsyncIterable<NewPet>,
  ): TaskEither<ImportAborted | Unavailable, ImportedPets> =>
  async () =>
    pets.importAll({ [Symbol.asyncIterator]: () => decodeAll(newPets) })();

/**
 * Reads a list page by page, with 100 animals on a page if the query has no limit. Animals that are added during the
 * walk may appear on later pages. Ends after the first page that is Unavailable. app/commands/export.ts calls it.
 */
export async function* walkPages(
  list: PetRepository['list'],
  query: Partial<PetQuery> = {},
): AsyncGenerator<E.Either<Unavailable, PetPage>> {
  const { limit = largestPageSize } = query;
  let { after } = query;
  do {
    const page = await list({ ...query, limit, after })();
    // Read the id before the yield, because the consumer may sort or empty the array of animals.
    after = E.isRight(page) && page.right.hasMore ? page.right.pets.at(-1)?.id : undefined;
    yield page;
  } while (after !== undefined);
}
