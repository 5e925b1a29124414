import * as E from 'fp-ts/Either';
import Koa from 'koa';
import { mountPetRoutes } from '../../../adapters/http';
import { httpAnimalStore, type RemoteAnimalStore } from '../../../adapters/http-client';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import {
  ApiKey,
  callerOf,
  type Deadline,
  decodeOrThrow,
  KeyId,
  openAnimalStore,
  OwnerId,
  type Pet,
  scopedIdempotencyKeyText,
} from '../../../core';
import type { OpenPetRepository } from '../../contracts';
import type { BasicRepository } from '../../contracts/pet-repository/open-pet-repository';
import { largestId } from '../../contracts/pet-repository/seeds';
import { type Listening, servePlainly } from '../../support/http/listen';

interface Remote {
  readonly baseUrl: string;
  /** Returns the API key of an owner. */
  readonly keyOf: (owner: OwnerId | undefined) => ApiKey;
  /** True if responses get lost. A retry of the client is then reported as a replay of its own create. */
  readonly isLossy?: boolean;
  readonly pets: ReadonlyArray<Pet>;
}

const unexpected = (failure: { readonly _tag: string }): never => {
  throw new Error(`the remote store failed as ${failure._tag}`);
};

/** Makes the repository port over a remote store, for its contract suite. */
export const remoteRepository = ({ baseUrl, keyOf, isLossy = false, pets }: Remote): BasicRepository => {
  const open = httpAnimalStore({ baseUrl });
  // A store without further ids stays Unavailable, so retries end soon. Creates with the same key retry for 10 s on a
  // busy machine.
  const limitMs = pets.some(({ id }) => id === largestId) ? 1_000 : 45_000;
  const orSoon = (deadline: Deadline | undefined): Deadline => deadline ?? performance.now() + limitMs;
  const stores = new Map<ApiKey, Promise<RemoteAnimalStore>>();
  const seenKeys = new Set<string>();

  const openStore = async (key: ApiKey): Promise<RemoteAnimalStore> => {
    const opened = await open(key)();
    return E.isRight(opened) ? opened.right : unexpected(opened.left);
  };
  const storeOf = (owner?: OwnerId): Promise<RemoteAnimalStore> => {
    const key = keyOf(owner);
    const store = stores.get(key) ?? openStore(key);
    stores.set(key, store);
    return store;
  };

  return {
    list: (query, deadline) => async () => {
      const { listPets } = await storeOf();
      const outcome = await listPets(query, orSoon(deadline))();
      if (E.isRight(outcome)) return outcome;
      return outcome.left._tag === 'Unavailable' ? E.left(outcome.left) : unexpected(outcome.left);
    },
    find: (id, deadline) => async () => {
      const { getPet } = await storeOf();
      const outcome = await getPet(id, orSoon(deadline))();
      if (E.isRight(outcome)) return outcome;
      switch (outcome.left._tag) {
        case 'PetNotFound':
        case 'Unavailable':
          return E.left(outcome.left);
        default:
          return unexpected(outcome.left);
      }
    },
    create: (newPet, key, deadline) => async () => {
      const text = key === undefined ? '' : scopedIdempotencyKeyText(key);
      const wasSeen = key !== undefined && seenKeys.has(text);
      seenKeys.add(text);
      const { createPet } = await storeOf(key?.ownerId);
      const outcome = await createPet(newPet, key?.idempotencyKey, orSoon(deadline))();
      if (E.isRight(outcome)) return isLossy ? E.right({ ...outcome.right, replayed: wasSeen }) : outcome;
      switch (outcome.left._tag) {
        case 'IdempotencyKeyInFlight':
        case 'IdempotencyKeyReused':
        case 'Unavailable':
          return E.left(outcome.left);
        default:
          return unexpected(outcome.left);
      }
    },
  };
};

const keyOf = (owner = 'nobody'): ApiKey =>
  decodeOrThrow(ApiKey, `k${Buffer.from(owner).toString('base64url')}`);

const ownerOf = (key: ApiKey): OwnerId =>
  decodeOrThrow(OwnerId, Buffer.from(key.slice(1), 'base64url').toString());

/** Opens a remote store over a repository in memory, through a proxy if one is given. */
export const openThrough =
  (proxyTo?: (address: string) => Promise<Listening>): OpenPetRepository<BasicRepository> =>
  async (options) => {
    const app = new Koa();
    app.silent = true;
    const openStore = openAnimalStore({
      pets: inMemoryPetRepository(options),
      authenticate: (key) => () =>
        Promise.resolve({ _tag: 'Right', right: callerOf(decodeOrThrow(KeyId, key), ownerOf(key)) }),
    });
    mountPetRoutes(app, openStore);
    const server = await servePlainly(app.callback());
    const proxy = await proxyTo?.(server.address);
    return {
      repository: remoteRepository({
        baseUrl: (proxy ?? server).address,
        keyOf,
        isLossy: proxy !== undefined,
        pets: options.pets,
      }),
      close: async () => {
        await proxy?.close();
        await server.close();
      },
    };
  };
