import { IdempotencyKey } from './keys';
import { decodeOrThrow, type FromDecodeOrThrow } from './codec';
import { largestPageSize, ListPetsQuery, type PetFilters, type PetQuery } from './pet-query';
import { NewPet, type Pet, PetId } from './pets';
import type { CreatedPet } from './ports';
import { type Attempt, type CallOptions, withRetries } from './retry';

type Plain<A> = A extends bigint ? bigint | number : A extends FromDecodeOrThrow<string> ? string : A;

/** An animal to add, in plain values. */
export type NewPetInput = { readonly [Field in keyof NewPet]: Plain<NewPet[Field]> };

/** Options of a create. */
export interface CreateOptions extends CallOptions {
  /** Identifies the create, so that a retry adds no second animal: 1 to 255 printable ASCII characters. */
  readonly idempotencyKey?: string | undefined;
}

/** Selects the animals of a list. */
export interface ListOptions extends CallOptions, PetFilters {
  readonly after?: bigint | number | undefined;
  /** Number of animals in each request: 1 to 100, by default 100. */
  readonly pageSize?: number | undefined;
}

/** A list of animals by ascending id, read page by page during the iteration. */
export interface PetList extends AsyncIterable<Pet> {
  readonly byPage: () => AsyncIterable<ReadonlyArray<Pet>>;
}

/**
 * A store, embedded or remote, with promises and async iterators. Each call retries within its time budget while the store
 * cannot answer, and rejects with an AnimalStoreError. An invalid argument rejects with a TypeError.
 */
export interface AnimalStoreClient {
  /** Adds an animal. Its idempotency key, a new one if none is given, is the same in all attempts. */
  readonly create: (newPet: NewPetInput, options?: CreateOptions) => Promise<Pet>;
  /** Lists the animals that pass the filters. Reads nothing before the iteration. */
  readonly list: (options?: ListOptions) => PetList;
  /** Reads one animal. Rejects with the code `pet_not_found` if no animal has this id. */
  readonly get: (id: bigint | number, options?: Omit<CreateOptions, 'idempotencyKey'>) => Promise<Pet>;
}

export interface TransportPage {
  readonly pets: ReadonlyArray<Pet>;
  /** Reads the next page; undefined on the last one. */
  readonly next: ((attempt: Attempt) => Promise<TransportPage>) | undefined;
}

/** Functions that each make a single attempt, on a remote or an embedded store, and reject with an AnimalStoreError. */
export interface Transport {
  readonly create: (newPet: NewPet, idempotencyKey: IdempotencyKey, attempt: Attempt) => Promise<CreatedPet>;
  readonly list: (query: PetQuery, attempt: Attempt) => Promise<TransportPage>;
  readonly find: (id: PetId, attempt: Attempt) => Promise<Pet>;
}

/** Returns a random idempotency key. `crypto.randomUUID` is missing in browsers on pages without TLS. */
export const newIdempotencyKey = (): IdempotencyKey =>
  decodeOrThrow(
    IdempotencyKey,
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
      '',
    ),
  );

export const clientOver = (transport: Transport): AnimalStoreClient => {
  async function* byPage(options: ListOptions): AsyncGenerator<ReadonlyArray<Pet>> {
    const { pageSize = largestPageSize, ...rest } = options;
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
      const { idempotencyKey } = options;
      const key =
        idempotencyKey === undefined ? newIdempotencyKey() : decodeOrThrow(IdempotencyKey, idempotencyKey);
      const { pet } = await withRetries((attempt) => transport.create(decoded, key, attempt), options, key);
      return pet;
    },
    list: (options = {}) => ({
      byPage: () => byPage(options),
      [Symbol.asyncIterator]: () => eachPet(options),
    }),
    get: async (id, options = {}) => {
      const decoded = decodeOrThrow(PetId, id);
      return withRetries((attempt) => transport.find(decoded, attempt), options);
    },
  };
};
