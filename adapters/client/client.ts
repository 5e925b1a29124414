import type { NewPet, Pet, PetQuery } from '../../core/pets';
import { maxPageSize } from '../../core/rules';
import { callChecks, checkArguments, checkId, checkNewPet, createChecks, pageStartChecks } from './arguments';
import type { CallOptions, CreateOptions, NewPetInput, PageOptions, PageStart } from './options';
import { type Attempt, clientTimeouts, withRetries } from './retry';

/** Page of animals by ascending id. `next` is the argument for the next page, or undefined on the last page. */
export interface Page {
  readonly pets: ReadonlyArray<Pet>;
  readonly next: PageOptions | undefined;
}

/**
 * Client of a store, remote or embedded. Calls retry temporary failures within a time budget. They reject with an
 * AnimalStoreError. Ids are bigints, safe integers or strings of decimal digits.
 */
export interface AnimalStoreClient {
  /** Adds an animal. All attempts send the same idempotency key, which is random if the options have none. */
  readonly create: (newPet: NewPetInput, options?: CreateOptions) => Promise<Pet>;
  /**
   * Adds an animal like `create`. `replayed` is true if an earlier request with the same idempotency key added it. That
   * may be an attempt of this call whose response was lost.
   */
  readonly createWithDetails: (
    newPet: NewPetInput,
    options?: CreateOptions,
  ) => Promise<{ readonly pet: Pet; readonly replayed: boolean; readonly idempotencyKey: string }>;
  /** Reads one page of the animals that pass the filters. */
  readonly page: (options?: PageOptions) => Promise<Page>;
  /**
   * Lists the animals that pass the filters, by ascending id. Each iteration starts at the first page, and reads each
   * page only when it is needed.
   */
  readonly list: (options?: PageOptions) => AsyncIterable<Pet>;
  /** Reads one animal. Rejects with the code `pet_not_found` if no animal has this id. */
  readonly get: (id: bigint | number | string, options?: CallOptions) => Promise<Pet>;
}

/** Requests of a client. Each function makes one attempt, and rejects with an AnimalStoreError. */
export interface Transport {
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

// Does not use `crypto.randomUUID`, which browsers lack on pages without TLS.
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

interface CheckedPage extends Page {
  readonly next: PageStart | undefined;
}

/** Default times for retries. */
type DefaultRetries = Readonly<Record<'retryCreatesForMs' | 'retryReadsForMs', number>>;

export const clientOver = (
  transport: Transport,
  clientOptions: CallOptions,
  { retryCreatesForMs, retryReadsForMs }: DefaultRetries = clientTimeouts,
): AnimalStoreClient => {
  const call = <A>(
    send: (attempt: Attempt) => Promise<A>,
    options: CallOptions,
    idempotencyKey?: string,
  ): Promise<A> => {
    const defaultMs = idempotencyKey === undefined ? retryReadsForMs : retryCreatesForMs;
    const { retryForMs = defaultMs, ...others } = { ...clientOptions, ...options };
    return withRetries(send, { ...others, retryForMs }, idempotencyKey);
  };

  const createWithDetails: AnimalStoreClient['createWithDetails'] = async (input, options = {}) => {
    const newPet = checkNewPet(input);
    const { idempotencyKey = randomKey(), ...checked } = checkArguments('options', options, createChecks);
    const send = (attempt: Attempt) => transport.createPet(newPet, idempotencyKey, attempt);
    return { ...(await call(send, checked, idempotencyKey)), idempotencyKey };
  };

  const readPage = async (place: PageStart, options: CallOptions): Promise<CheckedPage> => {
    const { pageSize = maxPageSize, ...filters } = place;
    const query = { limit: pageSize, ...filters };
    const { pets, hasMore } = await call((attempt) => transport.listPets(query, attempt), options);
    const last = pets.at(-1);
    return { pets, next: hasMore && last !== undefined ? { ...place, after: last.id } : undefined };
  };

  const checkPageOptions = (options: PageOptions): readonly [PageStart, CallOptions] => {
    const checks = { ...callChecks, ...pageStartChecks };
    const checked = checkArguments<CallOptions & PageStart>('options', options, checks);
    // The second check only separates the place, which `next` repeats, from the options of the call.
    return [checkArguments('options', checked, pageStartChecks, { ignoresOthers: true }), checked];
  };

  async function* eachPet(options: PageOptions): AsyncGenerator<Pet> {
    const [start, callOptions] = checkPageOptions(options);
    let place: PageStart | undefined = start;
    while (place !== undefined) {
      const page: CheckedPage = await readPage(place, callOptions);
      yield* page.pets;
      place = page.next;
    }
  }

  return {
    create: async (newPet, options) => (await createWithDetails(newPet, options)).pet,
    createWithDetails,
    page: async (options = {}) => readPage(...checkPageOptions(options)),
    list: (options = {}) => ({ [Symbol.asyncIterator]: () => eachPet(options) }),
    get: async (input, options = {}) => {
      const id = checkId(input);
      const checked = checkArguments('options', options, callChecks);
      return call((attempt) => transport.getPet(id, attempt), checked);
    },
  };
};
