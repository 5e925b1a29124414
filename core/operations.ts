import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { decodeOrThrow } from './codec';
import { type Deadline, endAtDeadline, type Unavailable } from './deadline';
import { ApiKey, type Caller, IdempotencyKey } from './keys';
import { defaultPageSize, largestPageSize, ListPetsQuery, type PetPage, type PetQuery } from './pet-query';
import { NewPet, type Pet, PetId } from './pets';
import {
  type Authenticate,
  type CreatedPet,
  type IdempotencyKeyInFlight,
  type IdempotencyKeyReused,
  type ImportAborted,
  type InvalidApiKey,
  invalidApiKey,
  type PetNotFound,
  type PetRepository,
} from './ports';

export interface Ports {
  readonly pets: PetRepository;
  readonly authenticate: Authenticate;
}

/**
 * Operations of an authenticated caller. Each ends at its deadline as Unavailable, and does nothing before the returned
 * task is run. Invalid input, which only JavaScript can pass, rejects the task's promise with a TypeError.
 */
export interface AnimalStore {
  /** The owner and the id of the API key. */
  readonly caller: Caller;
  /** Reads one page, of 20 animals if the query gives no limit. */
  readonly listPets: (
    query?: { readonly [K in keyof PetQuery]?: PetQuery[K] | undefined },
    deadline?: Deadline,
  ) => TaskEither<Unavailable, PetPage>;
  /**
   * Adds an animal. With an idempotency key, a retry within 24 hours adds no second animal (`resolveIdempotentCreate`).
   * A create that ends as Unavailable may still have been done: retry it with its key.
   */
  readonly createPet: (
    newPet: NewPet,
    idempotencyKey?: IdempotencyKey,
    deadline?: Deadline,
  ) => TaskEither<IdempotencyKeyReused | IdempotencyKeyInFlight | Unavailable, CreatedPet>;
  /**
   * Reads one animal by its id, such as `decodeOrThrow(PetId, 7n)`: ids are bigints.
   * @deprecated Ends on 5 December 2030 (interface 1.0.0, section 9). List with a status filter instead.
   */
  readonly getPet: (id: PetId, deadline?: Deadline) => TaskEither<PetNotFound | Unavailable, Pet>;
}

/**
 * Opens the store with an API key. Ends at the deadline as Unavailable; the operations have their own deadlines. A value
 * that is not an ApiKey, which only JavaScript can pass, is an unknown key.
 */
export type OpenAnimalStore = (
  apiKey: ApiKey,
  deadline?: Deadline,
) => TaskEither<InvalidApiKey | Unavailable, AnimalStore>;

const operationsOn = (pets: PetRepository, caller: Caller): AnimalStore => ({
  caller,
  listPets: (query = {}, deadline) =>
    endAtDeadline(async () => {
      const decoded = decodeOrThrow(ListPetsQuery, query);
      return pets.list({ limit: defaultPageSize, ...decoded }, deadline, caller.ownerId)();
    }, deadline),
  createPet: (newPet, idempotencyKey, deadline) =>
    endAtDeadline(async () => {
      const key =
        idempotencyKey === undefined
          ? undefined
          : {
              ownerId: caller.ownerId,
              idempotencyKey: decodeOrThrow(IdempotencyKey, idempotencyKey),
            };
      // Decoding copies the animal, so that the caller may change its object while the store waits.
      return pets.create(decodeOrThrow(NewPet, newPet), key, deadline)();
    }, deadline),
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the API keeps getPet until 5 December 2030
  getPet: (id, deadline) =>
    endAtDeadline(async () => pets.find(decodeOrThrow(PetId, id), deadline)(), deadline),
});

/** Makes a store from its ports. Only a key that the auth port accepts gives access to the operations. */
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
 * Adds all animals of a source, or none, and returns their number. Needs no API key, only the repository.
 * ImportAborted: none is stored; the source threw, an animal was invalid, or the store rejected the import.
 * Unavailable: the store did not confirm the commit, so either all animals are stored or none.
 */
export const importAll =
  (
    pets: PetRepository,
    newPets: Iterable<NewPet> | AsyncIterable<NewPet>,
  ): TaskEither<ImportAborted | Unavailable, number> =>
  async () =>
    pets.importAll({ [Symbol.asyncIterator]: () => decodeAll(newPets) })();

/**
 * Reads all pages of a list, with 100 animals each if the query gives no limit. Later pages may have animals that were
 * created during the walk. An Unavailable page ends the walk.
 */
export async function* walkPages(
  list: PetRepository['list'],
  query: Partial<PetQuery> = {},
): AsyncGenerator<E.Either<Unavailable, PetPage>> {
  const { limit = largestPageSize } = query;
  let { after } = query;
  do {
    const page = await list({ ...query, limit, after })();
    // Reads the id before the yield, since the consumer may sort or empty the array.
    after = E.isRight(page) && page.right.hasMore ? page.right.pets.at(-1)?.id : undefined;
    yield page;
  } while (after !== undefined);
}
