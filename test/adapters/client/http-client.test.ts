import { expectTypeOf } from 'expect-type';
import Koa from 'koa';
import { mountPetRoutes } from '../../../adapters/http';
import {
  animalStoreClient,
  type AnimalStoreClient,
  type NewPetInput,
  type Pet,
} from '../../../adapters/client';
import { inMemoryApiKeys } from '../../../adapters/in-memory';
import * as core from '../../../core';
import {
  arbitraryApiKey,
  arbitraryKeyId,
  idempotencyExpiryContract,
  petRepositoryContract,
} from '../../contracts';
import { clientSuite } from './client-suite';
import { servePlainly } from '../../support/http/listen';
import { openThrough } from './remote-repository';

describe('The client over HTTP', () => {
  clientSuite(async (pets, options) => {
    const key = arbitraryApiKey();
    const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);
    const app = new Koa();
    app.silent = true;
    mountPetRoutes(app, core.openAnimalStore({ pets, authenticate }));
    const { address, close } = await servePlainly(app.callback());
    try {
      return { client: animalStoreClient({ baseUrl: address, apiKey: key, ...options }), close };
    } catch (error) {
      await close();
      throw error;
    }
  });
});

describe('A store over HTTP, in this process', () => {
  petRepositoryContract({ describe, it }, openThrough());
  idempotencyExpiryContract({ describe, it }, openThrough());
});

describe('The types of the client', () => {
  it('let fixtures and mocks be plain values', () => {
    const pet: Pet = { id: 1n, name: 'Rex', categoryId: 7n };
    const mock: AnimalStoreClient = {
      create: () => Promise.resolve(pet),
      createWithDetails: () => Promise.resolve({ pet, replayed: false, idempotencyKey: 'one' }),
      page: () => Promise.resolve({ pets: [pet], next: undefined }),
      list: () => ({
        async *[Symbol.asyncIterator]() {
          yield await Promise.resolve(pet);
        },
      }),
      get: () => Promise.resolve(pet),
    };
    expectTypeOf(mock.get).parameter(0).toEqualTypeOf<bigint | number | string>();
    expectTypeOf<NewPetInput>().toEqualTypeOf<{
      readonly name: string;
      readonly categoryId: bigint | number | string;
      readonly status?: 'available' | 'pending' | 'sold' | undefined;
    }>();
    expectTypeOf(mock.list).returns.toEqualTypeOf<AsyncIterable<Pet>>();
  });

  it('accept the animals of the core', () => {
    expectTypeOf<core.Pet>().toExtend<Pet>();
    expectTypeOf<core.NewPet>().toExtend<NewPetInput>();
  });
});
