import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { inMemoryPetRepository } from '../../../../adapters/in-memory';
import {
  type OperationName,
  type PetRepository,
  type ScopedIdempotencyKey,
  unavailable,
} from '../../../../core';
import {
  type AnimalStoreClient,
  AnimalStoreError,
  type CallOptions,
  type PageOptions,
} from '../../../../adapters/client';

/** Opens a client of a store over this repository, with a valid API key unless the options have another one. */
export type OpenClient = (
  repository: PetRepository,
  options?: CallOptions & { readonly apiKey?: string | (() => Promise<string>) },
) => Promise<{
  readonly client: AnimalStoreClient;
  readonly close: () => Promise<void>;
}>;

export const errorOf = (call: Promise<unknown>): Promise<AnimalStoreError> =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => (error instanceof AnimalStoreError ? error : expect.fail(String(error))),
  );

export const all = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = [];
  for await (const item of items) found.push(item);
  return found;
};

/** Makes a repository whose calls fail a number of times before they succeed. */
export const failing = (failures: number, sound = inMemoryPetRepository()) => {
  const keys: Array<ScopedIdempotencyKey | undefined> = [];
  let calls = 0;
  const orFail =
    <A>(task: () => Promise<A>) =>
    async () => {
      calls += 1;
      return calls <= failures ? E.left(unavailable('the disk is full')) : task();
    };
  const pets: PetRepository = {
    ...sound,
    list: (query) => orFail(sound.list(query)),
    find: (id) => orFail(sound.find(id)),
    create: (newPet, options) => {
      keys.push(options?.idempotency);
      return orFail(sound.create(newPet, options));
    },
  };
  return { pets, keys, calls: () => calls };
};

/** Call of each operation. The compiler reports an operation without one. */
export const calls: Readonly<Record<OperationName, (client: AnimalStoreClient) => Promise<unknown>>> = {
  createPet: (client) => client.create({ name: 'Rex', categoryId: 7 }),
  getPet: (client) => client.get(1),
  listPets: (client) => client.page(),
};

/** Makes the compiler accept options that only JavaScript callers can pass. */
export const isOptions = (_value: unknown): _value is PageOptions => true;

export const rex = { name: 'Rex', categoryId: 7 };

/** Opens a client, runs the test and closes the client. */
export type UseClient = (
  repository: PetRepository,
  test: (client: AnimalStoreClient) => Promise<void>,
  options?: Parameters<OpenClient>[1],
) => Promise<void>;
