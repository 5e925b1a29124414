import { IdempotencyKey } from './keys';
import { decodeOrThrow, type FromDecodeOrThrow } from './codec';
import { largestPageSize, ListPetsQuery, type PetFilters, type PetQuery } from './pet-query';
import { NewPet, type Pet, PetId } from './pets';
import type { CreatedPet } from './ports';
import { type Attempt, type CallOptions, checkedOptions, withRetries } from './retry';

type Plain<A> = A extends bigint ? bigint | number : A extends FromDecodeOrThrow<string> ? string : A;

/** Animal to add, with plain values: `categoryId` is a bigint or a number, and texts are strings. */
export type NewPetInput = { readonly [Field in keyof NewPet]: Plain<NewPet[Field]> };

/**
 * Options of a create: those of every call, and an idempotency key of 1 to 255 printable ASCII characters. A retry with
 * the same key adds no second animal.
 */
export interface CreateOptions extends CallOptions {
  readonly idempotencyKey?: string | undefined;
}

/**
 * Options of a list: those of every call, filters, position and page size. Only animals with an id greater than `after`
 * are listed. Each request reads `pageSize` animals: 1 to 100, by default 100.
 */
export interface ListOptions extends CallOptions, PetFilters {
  readonly after?: bigint | number | undefined;
  readonly pageSize?: number | undefined;
}

/**
 * List of animals by ascending id. Each iteration starts at the first page, and reads each page only when it is needed.
 */
export interface PetList extends AsyncIterable<Pet> {
  readonly byPage: () => AsyncIterable<ReadonlyArray<Pet>>;
}

/**
 * Client of a store, made by `clientOver` for embedded-client.ts and adapters/http-client/index.ts. Calls retry
 * temporary failures within a time budget. They reject with an AnimalStoreError, or with a TypeError if an argument is
 * invalid.
 */
export interface AnimalStoreClient {
  /** Adds an animal. All attempts send the same idempotency key, which is random if the options have none. */
  readonly create: (newPet: NewPetInput, options?: CreateOptions) => Promise<Pet>;
  /** Lists the animals that pass the filters. Sends no request before the iteration starts. */
  readonly list: (options?: ListOptions) => PetList;
  /** Reads one animal. Rejects with the code `pet_not_found` if no animal has this id. */
  readonly get: (id: bigint | number, options?: Omit<CreateOptions, 'idempotencyKey'>) => Promise<Pet>;
}

export interface TransportPage {
  readonly pets: ReadonlyArray<Pet>;
  readonly next: ((attempt: Attempt) => Promise<TransportPage>) | undefined;
}

export interface Transport {
  readonly create: (newPet: NewPet, idempotencyKey: IdempotencyKey, attempt: Attempt) => Promise<CreatedPet>;
  readonly list: (query: PetQuery, attempt: Attempt) => Promise<TransportPage>;
  readonly find: (id: PetId, attempt: Attempt) => Promise<Pet>;
}

// Does not use `crypto.randomUUID`, which browsers lack on pages without TLS.
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export const givenOrRandomKey = (given = randomKey()): IdempotencyKey => decodeOrThrow(IdempotencyKey, given);

export const clientOver = (transport: Transport): AnimalStoreClient => {
  async function* byPage(options: ListOptions): AsyncGenerator<ReadonlyArray<Pet>> {
    const { pageSize = largestPageSize, ...rest } = checkedOptions(options);
    const query = { limit: largestPageSize, ...decodeOrThrow(ListPetsQuery, { ...rest, limit: pageSize }) };
    let next: TransportPage['next'] = (attempt) => transport.list(query, attempt);
    while (next !== undefined) {
      const page: TransportPage = await withRetries(next, options);
      yield page.pets;
      next = page.next;
    }
  }

  async function* eachPet(options: ListOptions): AsyncGenerator<Pet> {
    for await (const pets of byPage(options)) yield* pets;
  }

  return {
    create: async (newPet, options = {}) => {
      const decoded = decodeOrThrow(NewPet, newPet);
      const key = givenOrRandomKey(checkedOptions(options).idempotencyKey);
      const { pet } = await withRetries((attempt) => transport.create(decoded, key, attempt), options, key);
      return pet;
    },
    list: (options = {}) => ({
      byPage: () => byPage(options),
      [Symbol.asyncIterator]: () => eachPet(options),
    }),
    get: async (id, options = {}) => {
      const decoded = decodeOrThrow(PetId, id);
      return withRetries((attempt) => transport.find(decoded, attempt), checkedOptions(options));
    },
  };
};
