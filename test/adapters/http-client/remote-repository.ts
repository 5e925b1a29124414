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
import { success } from '../../contracts/outcome';
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

interface Failure {
  readonly _tag: string;
}

/** Returns an outcome with one of these failures at most. Throws any other failure, which the port does not have. */
const ofPort = <F extends Failure, A, Tag extends F['_tag']>(
  outcome: E.Either<F, A>,
  ...tags: ReadonlyArray<Tag>
): E.Either<Extract<F, { readonly _tag: Tag }>, A> => {
  if (E.isRight(outcome)) return outcome;
  const isExpected = (failure: F): failure is Extract<F, { readonly _tag: Tag }> =>
    tags.some((tag) => tag === failure._tag);
  if (isExpected(outcome.left)) return E.left(outcome.left);
  throw new Error(`the remote store failed as ${outcome.left._tag}`);
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

  const storeOf = (owner?: OwnerId): Promise<RemoteAnimalStore> => {
    const key = keyOf(owner);
    const store = stores.get(key) ?? success(open(key));
    stores.set(key, store);
    return store;
  };

  return {
    list: (query, deadline) => async () => {
      const { listPets } = await storeOf();
      return ofPort(await listPets(query, orSoon(deadline))(), 'Unavailable');
    },
    find: (id, deadline) => async () => {
      const { getPet } = await storeOf();
      return ofPort(await getPet(id, orSoon(deadline))(), 'PetNotFound', 'Unavailable');
    },
    create: (newPet, key, deadline) => async () => {
      const text = key === undefined ? '' : scopedIdempotencyKeyText(key);
      const wasSeen = key !== undefined && seenKeys.has(text);
      seenKeys.add(text);
      const { createPet } = await storeOf(key?.ownerId);
      const outcome = await createPet(newPet, key?.idempotencyKey, orSoon(deadline))();
      if (E.isRight(outcome)) return isLossy ? E.right({ ...outcome.right, replayed: wasSeen }) : outcome;
      return ofPort(outcome, 'IdempotencyKeyInFlight', 'IdempotencyKeyReused', 'Unavailable');
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
