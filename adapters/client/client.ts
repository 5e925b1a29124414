import type { OperationName } from '../../core/operations';
import type { NewPet, Pet, PetQuery } from '../../core/pets';
import { maxPageSize } from '../../core/rules';
import { AnimalStoreError } from './animal-store-error';
import {
  requireCallOptions,
  requireCreateOptions,
  requireId,
  requireNewPet,
  requirePageArguments,
  type PageQuery,
} from './arguments';
import type { CallOptions, CreateOptions, NewPetInput, PageOptions, PetOf } from './options';
import { type Attempt, clientTimeouts, withRetries } from './retry';
import { propertyOf } from './values';

/** Page of a list of animals. */
export interface Page<Int64 extends bigint | string = bigint> {
  /** Animals of the page, in the order of the list. */
  readonly pets: ReadonlyArray<PetOf<Int64>>;
  /** Argument of `page` for the next page, or undefined on the last page. */
  readonly next: PageOptions | undefined;
}

/** Animals of a list, which are read page by page as they are needed. Each iteration starts at the first page. */
export interface PetList<Int64 extends bigint | string = bigint> extends AsyncIterable<PetOf<Int64>> {
  /** Reads all pages, and returns their animals. */
  readonly toArray: () => Promise<Array<PetOf<Int64>>>;
}

/**
 * Client of a store, remote or embedded. Calls retry temporary failures for a limited time, and reject with an
 * AnimalStoreError. An id may be a bigint, a safe integer or a string of decimal digits.
 */
export interface AnimalStoreClient<Int64 extends bigint | string = bigint> {
  /** Adds an animal. All attempts send the same idempotency key, which is random if the options have none. */
  readonly create: (newPet: NewPetInput, options?: CreateOptions) => Promise<PetOf<Int64>>;
  /**
   * Adds an animal like `create`. `replayed` is true if an earlier request with the same idempotency key added it. The
   * earlier request may be an attempt of this call whose response was lost.
   */
  readonly createWithDetails: (
    newPet: NewPetInput,
    options?: CreateOptions,
  ) => Promise<{ readonly pet: PetOf<Int64>; readonly replayed: boolean; readonly idempotencyKey: string }>;
  /** Reads one page of the animals that pass the filters. */
  readonly page: (options?: PageOptions) => Promise<Page<Int64>>;
  /** Lists the animals that pass the filters, by ascending id, or by descending id with `order: 'desc'`. */
  readonly list: (options?: PageOptions) => PetList<Int64>;
  /**
   * Reads one animal. Rejects with the code `pet_not_found` if no animal has this id. Over HTTP, requests a list of one
   * animal, because the operation `getPet` of the service is deprecated.
   */
  readonly get: (id: bigint | number | string, options?: CallOptions) => Promise<PetOf<Int64>>;
}

/** Operations over HTTP or in the same process. Each makes one attempt, and rejects with an AnimalStoreError. */
export interface Transport extends Readonly<Record<OperationName, unknown>> {
  readonly createPet: (
    newPet: NewPet,
    idempotencyKey: string,
    attempt: Attempt,
  ) => Promise<{ readonly pet: Pet; readonly replayed: boolean }>;
  readonly listPets: (
    query: PetQuery,
    attempt: Attempt,
  ) => Promise<{ readonly pets: ReadonlyArray<Pet>; readonly hasMore: boolean }>;
  readonly getPet: (id: bigint, attempt: Attempt) => Promise<Pet>;
}

/** Transport of a client, and default options for its calls. */
export interface Configuration {
  readonly transport: Transport;
  readonly callOptions: CallOptions;
}

/** Function that makes a client. The option `int64` decides the type of the int64 values that the client returns. */
export type ClientFactory<Options> = <Int64 extends 'bigint' | 'string' = 'bigint'>(
  options: Options & { readonly int64?: Int64 | undefined },
) => Int64 extends 'string' ? AnimalStoreClient<string> : AnimalStoreClient;

// Overload that gives the client its type, which TypeScript can't derive from the comparison of the option `int64`.
export function clientFactory<Options>(
  configure: (options: Options) => Configuration,
): ClientFactory<Options>;
export function clientFactory(configure: (options: unknown) => Configuration) {
  return (options: unknown) =>
    clientOver<bigint | string>(
      () => configure(options),
      propertyOf(options, 'int64') === 'string' ? int64ToDigits : <A>(value: A): A => value,
    );
}

/** Conversion of int64 values in results to the type that the option `int64` names. */
interface Int64Conversion<Int64 extends bigint | string> {
  (pet: Pet): PetOf<Int64>;
  (query: PageQuery): PageOptions;
}

interface CheckedPage {
  readonly pets: ReadonlyArray<Pet>;
  readonly next: PageQuery | undefined;
}

/** Makes a client that calls `configure` at the first call of one of its methods. */
const clientOver = <Int64 extends bigint | string>(
  configure: () => Configuration,
  convert: Int64Conversion<Int64>,
): AnimalStoreClient<Int64> => {
  let configuration: Configuration | undefined;

  const call = <A>(
    send: (transport: Transport, attempt: Attempt) => Promise<A>,
    options: CallOptions,
    idempotencyKey?: string,
  ): Promise<A> => {
    const { transport, callOptions } = (configuration ??= configure());
    const { retryCreatesForMs, retryReadsForMs } = clientTimeouts;
    const defaultMs = idempotencyKey === undefined ? retryReadsForMs : retryCreatesForMs;
    const { retryForMs = defaultMs, ...others } = { ...callOptions, ...options };
    return withRetries((attempt) => send(transport, attempt), { ...others, retryForMs }, idempotencyKey);
  };

  const createWithDetails: AnimalStoreClient<Int64>['createWithDetails'] = async (input, options = {}) => {
    const newPet = requireNewPet(input);
    const { idempotencyKey = randomKey(), ...checked } = requireCreateOptions(options);
    const { pet, replayed } = await call(
      (transport, attempt) => transport.createPet(newPet, idempotencyKey, attempt),
      checked,
      idempotencyKey,
    );
    return { pet: convert(pet), replayed, idempotencyKey };
  };

  const readPage = async (query: PageQuery, options: CallOptions): Promise<CheckedPage> => {
    const { pageSize = maxPageSize, ...others } = query;
    const petQuery = { limit: pageSize, ...others };
    const { pets, hasMore } = await call(
      (transport, attempt) => transport.listPets(petQuery, attempt),
      options,
    );
    const last = pets.at(-1);
    return { pets, next: hasMore && last !== undefined ? { ...query, after: last.id } : undefined };
  };

  async function* eachPet(
    options: PageOptions,
    others: ReadonlyArray<unknown>,
  ): AsyncGenerator<PetOf<Int64>> {
    const [first, callOptions] = requirePageArguments(options, others);
    let query: PageQuery | undefined = first;
    while (query !== undefined) {
      const page: CheckedPage = await readPage(query, callOptions);
      yield* page.pets.map((pet) => convert(pet));
      query = page.next;
    }
  }

  return {
    create: async (newPet, options) => (await createWithDetails(newPet, options)).pet,
    createWithDetails,
    page: async (options = {}, ...others: ReadonlyArray<unknown>) => {
      const { pets, next } = await readPage(...requirePageArguments(options, others));
      return { pets: pets.map((pet) => convert(pet)), next: next && convert(next) };
    },
    list: (options = {}, ...others: ReadonlyArray<unknown>) => ({
      [Symbol.asyncIterator]: () => eachPet(options, others),
      toArray: async () => {
        const pets = [];
        for await (const pet of eachPet(options, others)) pets.push(pet);
        return pets;
      },
    }),
    get: async (input, options = {}) => {
      const { id } = requireId({ id: input });
      const checked = requireCallOptions(options);
      return convert(await call((transport, attempt) => transport.getPet(id, attempt), checked));
    },
  };
};

// Does not use `crypto.randomUUID`, which browsers lack on pages without TLS. Uses 32-bit numbers, because polyfills of
// `getRandomValues` do not fill 64-bit arrays.
const randomKey = (): string => {
  try {
    return crypto.getRandomValues(new Uint32Array(4)).join('-');
  } catch (cause) {
    const message =
      'this platform has no crypto.getRandomValues; load a polyfill for it, or pass idempotencyKey';
    throw new AnimalStoreError('invalid_argument', message, { cause });
  }
};

// Overloads that give the result its type, because `Object.fromEntries` loses the names of the properties.
function int64ToDigits(pet: Pet): PetOf<string>;
function int64ToDigits(query: PageQuery): PageOptions;
function int64ToDigits(values: object): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'bigint' ? String(value) : value,
    ]),
  );
}
