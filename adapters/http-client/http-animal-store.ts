import type { TaskEither } from 'fp-ts/TaskEither';
import {
  type AnimalStore,
  AnimalStoreError,
  type ApiKey,
  type CallOptions,
  checkedOptions,
  type CreatedPet,
  type Deadline,
  decodeOrThrow,
  defaultPageSize,
  endAtDeadline,
  givenOrRandomKey,
  type IdempotencyKey,
  idempotencyKeyInFlight,
  type IdempotencyKeyInFlight,
  idempotencyKeyReused,
  type IdempotencyKeyReused,
  type InvalidApiKey,
  invalidApiKey,
  ListPetsQuery,
  NewPet,
  PageSize,
  type Pet,
  PetId,
  petNotFound,
  type PetNotFound,
  type PetPage,
  type PetQuery,
  type Unavailable,
  unavailable,
  withRetries,
} from '../../core';
import { httpTransport, type RemoteStore } from './http-transport';
import { clientTimeouts } from '../../core/timeouts';

type RateLimited = Readonly<{ _tag: 'RateLimited'; retryAfterMs: number | undefined }>;

type PayloadTooLarge = Readonly<{ _tag: 'PayloadTooLarge' }>;

type RemoteFailure = InvalidApiKey | RateLimited | Unavailable;

/** Operations of a store over HTTP. An AnimalStore of core is assignable to this type. */
export interface RemoteAnimalStore {
  readonly listPets: (
    query?: Parameters<AnimalStore['listPets']>[0],
    deadline?: Deadline,
  ) => TaskEither<RemoteFailure, PetPage>;
  readonly createPet: (
    newPet: NewPet,
    idempotencyKey?: IdempotencyKey,
    deadline?: Deadline,
  ) => TaskEither<
    IdempotencyKeyReused | IdempotencyKeyInFlight | PayloadTooLarge | RemoteFailure,
    CreatedPet
  >;
  readonly getPet: (id: PetId, deadline?: Deadline) => TaskEither<PetNotFound | RemoteFailure, Pet>;
}

/** Function that opens a store over HTTP with an API key. An OpenAnimalStore of core is assignable to this type. */
export type OpenRemoteAnimalStore = (
  apiKey: ApiKey,
  deadline?: Deadline,
) => TaskEither<RemoteFailure, RemoteAnimalStore>;

const remoteFailure = (error: AnimalStoreError): RemoteFailure => {
  switch (error.code) {
    case 'unauthorized':
      return invalidApiKey('unknown');
    case 'rate_limited':
      return { _tag: 'RateLimited', retryAfterMs: error.retryAfterMs };
    default:
      return unavailable(error);
  }
};

const limitsUntil = (deadline: Deadline | undefined): CallOptions => {
  if (deadline === undefined) return {};
  const remainingMs = Math.max(1, deadline - performance.now());
  // `checkedOptions` rejects a deadline of NaN, with which retries would never end.
  return checkedOptions({
    retryForMs: remainingMs,
    timeoutMs: Math.min(clientTimeouts.attemptMs, remainingMs),
  });
};

const call = <F, A>(
  operation: (limits: CallOptions) => Promise<A>,
  toFailure: (error: AnimalStoreError) => F,
  deadline: Deadline | undefined,
): TaskEither<F | Unavailable, A> =>
  endAtDeadline(async () => {
    try {
      return { _tag: 'Right', right: await operation(limitsUntil(deadline)) };
    } catch (error) {
      if (error instanceof AnimalStoreError) return { _tag: 'Left', left: toFailure(error) };
      throw error;
    }
  }, deadline);

/**
 * Opens a store over HTTP, for programs that replace an embedded store with a remote store. While the service cannot
 * answer, calls retry until their deadline, or for 30 seconds without a deadline. Opening sends a request, to check the
 * API key.
 */
export const httpAnimalStore =
  (remote: Omit<RemoteStore, 'apiKey'>): OpenRemoteAnimalStore =>
  (apiKey, deadline) => {
    const transport = httpTransport({ ...remote, apiKey });
    const readPage = async (query: PetQuery, limits: CallOptions): Promise<PetPage> => {
      const { pets, next } = await withRetries((attempt) => transport.list(query, attempt), limits);
      return { pets, hasMore: next !== undefined };
    };
    const store: RemoteAnimalStore = {
      listPets: (query = {}, listDeadline) =>
        call(
          (limits) => readPage({ limit: defaultPageSize, ...decodeOrThrow(ListPetsQuery, query) }, limits),
          remoteFailure,
          listDeadline,
        ),
      createPet: (newPet, idempotencyKey, createDeadline) =>
        call(
          async (limits) => {
            const decoded = decodeOrThrow(NewPet, newPet);
            const key = givenOrRandomKey(idempotencyKey);
            const created = await withRetries((attempt) => transport.create(decoded, key, attempt), limits);
            // If the caller gave no idempotency key, a replayed response comes from a retry of this call. The animal is
            // then new to the caller.
            return idempotencyKey === undefined ? { ...created, replayed: false } : created;
          },
          (error) => {
            switch (error.code) {
              case 'idempotency_key_reused':
                return idempotencyKeyReused;
              case 'idempotency_key_in_flight':
                return idempotencyKeyInFlight;
              case 'payload_too_large':
                return { _tag: 'PayloadTooLarge' } as const;
              default:
                return remoteFailure(error);
            }
          },
          createDeadline,
        ),
      getPet: (id, getDeadline) =>
        call(
          (limits) => {
            const decoded = decodeOrThrow(PetId, id);
            return withRetries((attempt) => transport.find(decoded, attempt), limits);
          },
          (error) => (error.code === 'pet_not_found' ? petNotFound(id) : remoteFailure(error)),
          getDeadline,
        ),
    };
    return call(
      async (limits) => {
        await readPage({ limit: decodeOrThrow(PageSize, 1) }, limits);
        return store;
      },
      remoteFailure,
      deadline,
    );
  };
