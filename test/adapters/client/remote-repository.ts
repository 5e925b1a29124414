import * as E from 'fp-ts/Either';
import Koa from 'koa';
import { mountPetRoutes } from '../../../adapters/http';
import { petRoutesHandler } from '../../../adapters/http/fetch';
import {
  animalStoreClient,
  type AnimalStoreClient,
  AnimalStoreError,
  type CallOptions,
} from '../../../adapters/client';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import {
  ApiKey,
  callerOf,
  type CreatedPet,
  type Deadline,
  decodeOrThrow,
  type IdempotencyKeyInFlight,
  idempotencyKeyInFlight,
  type IdempotencyKeyReused,
  idempotencyKeyReused,
  KeyId,
  type OpenAnimalStore,
  storeOpener,
  OwnerId,
  type Pet,
  type PetDeleted,
  petDeleted,
  petNotFound,
  type PetPage,
  type PetRepository,
  scopedIdempotencyKeyText,
  type Unavailable,
  unavailable,
} from '../../../core';
import type { OpenPetRepository } from '../../contracts';
import { largestId } from '../../contracts/pet-repository/seeds';
import { type Listening, servePlainly } from '../../support/http/listen';

interface Remote {
  readonly baseUrl: string;
  /** True if responses get lost. A retry of the client is then reported as a replay of its own create. */
  readonly isLossy: boolean;
  readonly pets: ReadonlyArray<Pet>;
  readonly fetch?: typeof fetch;
}

const apiKeyOf = (owner = 'nobody'): ApiKey =>
  decodeOrThrow(ApiKey, `k${Buffer.from(owner).toString('base64url')}`);

const ownerOf = (key: ApiKey): OwnerId =>
  decodeOrThrow(OwnerId, Buffer.from(key.slice(1), 'base64url').toString());

/** Implements the repository port with clients of a service, so that the contract suite of the port tests them. */
const remoteRepository = ({ baseUrl, isLossy, pets, fetch }: Remote): PetRepository => {
  // In a store with the largest id, creates stay Unavailable, so a short limit saves time. In other stores, creates
  // with the same key may need 10 s on a busy machine.
  const limitMs = pets.some(({ id }) => id === largestId) ? 1_000 : 45_000;
  const seenKeys = new Set<string>();
  const clientOf = (owner?: OwnerId): AnimalStoreClient =>
    animalStoreClient({ baseUrl, apiKey: apiKeyOf(owner), fetch });

  /** Calls a client until the deadline. Rejects with any failure that the port does not have. */
  const call = async <A, F = never>(
    deadline: Deadline = performance.now() + limitMs,
    operation: (limits: CallOptions) => Promise<A>,
    toFailure: (code: AnimalStoreError['code']) => F | undefined = () => undefined,
  ): Promise<E.Either<F | Unavailable, A>> => {
    const remainingMs = Math.max(1, deadline - performance.now());
    try {
      const limits = { retryForMs: remainingMs, timeoutMs: Math.min(10_000, remainingMs) };
      return E.right(await operation(limits));
    } catch (error) {
      if (!(error instanceof AnimalStoreError)) throw error;
      const failure = toFailure(error.code);
      if (failure !== undefined) return E.left(failure);
      const failures = ['unavailable', 'timeout', 'network', 'invalid_argument'];
      if (failures.includes(error.code)) return E.left(unavailable(error));
      throw error;
    }
  };

  return {
    list:
      ({ limit, ...query }, deadline) =>
      () =>
        call<PetPage>(deadline, async (limits) => {
          const page = await clientOf().page({ ...query, pageSize: limit, ...limits });
          return { pets: page.pets, hasMore: page.next !== undefined };
        }),
    find: (id, deadline) => () =>
      call(
        deadline,
        (limits) => clientOf().get(id, limits),
        (code) => (code === 'pet_not_found' ? petNotFound(id) : undefined),
      ),
    create:
      (newPet, { idempotency, deadline } = {}) =>
      () => {
        const text = idempotency === undefined ? '' : scopedIdempotencyKeyText(idempotency);
        const wasSeen = idempotency !== undefined && seenKeys.has(text);
        seenKeys.add(text);
        return call<CreatedPet, IdempotencyKeyReused | PetDeleted | IdempotencyKeyInFlight>(
          deadline,
          async (limits) => {
            const { pet, replayed } = await clientOf(idempotency?.ownerId).createWithDetails(newPet, {
              ...limits,
              idempotencyKey: idempotency?.idempotencyKey,
            });
            return { pet, replayed: isLossy ? wasSeen : replayed };
          },
          (code) => {
            if (code === 'idempotency_key_reused') return idempotencyKeyReused;
            if (code === 'pet_deleted') return petDeleted;
            return code === 'idempotency_key_in_flight' ? idempotencyKeyInFlight : undefined;
          },
        );
      },
  };
};

const openStoreOver = (options: Parameters<OpenPetRepository>[0]): OpenAnimalStore =>
  storeOpener({
    pets: inMemoryPetRepository(options),
    authenticate: (key) => () =>
      Promise.resolve({ _tag: 'Right', right: callerOf(decodeOrThrow(KeyId, key), ownerOf(key)) }),
  });

/** Opens a store in memory behind a fetch handler, which the client calls without a socket. */
export const openBehindHandler: OpenPetRepository = (options) => {
  const handle = petRoutesHandler({ openStore: openStoreOver(options) });
  const callHandler: typeof fetch = (input, init) => handle(new Request(input, init));
  const remote = { baseUrl: 'http://store', isLossy: false, pets: options.pets, fetch: callHandler };
  return Promise.resolve({ repository: remoteRepository(remote), close: () => Promise.resolve() });
};

/** Opens a remote store over a repository in memory, through a proxy if one is given. */
export const openThrough =
  (proxyTo?: (address: string) => Promise<Listening>): OpenPetRepository =>
  async (options) => {
    const app = new Koa();
    app.silent = true;
    mountPetRoutes(app, openStoreOver(options));
    const server = await servePlainly(app.callback());
    const proxy = await proxyTo?.(server.address);
    return {
      repository: remoteRepository({
        baseUrl: (proxy ?? server).address,
        isLossy: proxy !== undefined,
        pets: options.pets,
      }),
      close: async () => {
        await proxy?.close();
        await server.close();
      },
    };
  };
