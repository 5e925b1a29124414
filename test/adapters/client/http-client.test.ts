import { expect } from 'chai';
import { expectTypeOf } from 'expect-type';
import Koa from 'koa';
import type { IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { mountPetRoutes } from '../../../adapters/http';
import { petRoutesHandler } from '../../../adapters/http/fetch';
import {
  animalStoreClient,
  type AnimalStoreClient,
  AnimalStoreError,
  type NewPetInput,
  type Pet,
  type PetOf,
} from '../../../adapters/client';
import { inMemoryApiKeys } from '../../../adapters/in-memory';
import * as core from '../../../core';
import {
  arbitraryApiKey,
  arbitraryKeyId,
  idempotencyExpiryContract,
  petRepositoryContract,
} from '../../contracts';
import { answersEachOperation, clientSuite } from './client-suite';
import { servePlainly } from '../../support/http/listen';
import { openBehindHandler, openThrough } from './remote-repository';

describe('The client over HTTP', () => {
  clientSuite(async (pets, options) => {
    const key = arbitraryApiKey();
    const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);
    const app = new Koa();
    app.silent = true;
    mountPetRoutes(app, core.storeOpener({ pets, authenticate }));
    const { address, close } = await servePlainly(app.callback());
    try {
      return { client: animalStoreClient({ baseUrl: address, apiKey: key, ...options }), close };
    } catch (error) {
      await close();
      throw error;
    }
  });
});

describe('A client behind a proxy that adds the key', () => {
  it('sends the given headers and no key, and replaces the headers of the client by those of a call', async () => {
    const seen: Array<IncomingHttpHeaders> = [];
    const proxy = await servePlainly((request, response) => {
      seen.push(request.headers);
      response.end('[]');
    });
    const animals = animalStoreClient({ baseUrl: proxy.address, headers: { 'X-Tenant': 'a', Cookie: 'b' } });
    await animals.page();
    await animals.page({ headers: [['X-Tenant', 'c']] });
    await proxy.close();
    expect(seen.map((headers) => [headers['x-tenant'], headers.authorization])).to.deep.equal([
      ['a', undefined],
      ['c', undefined],
    ]);
  });
});

describe('An AnimalStoreError', () => {
  it('is an instance of the class of each copy of the client', () => {
    for (const file of Object.keys(require.cache))
      if (file.includes('/adapters/client/')) Reflect.deleteProperty(require.cache, file);
    const module: unknown = createRequire(__filename)('../../../adapters/client/animal-store-error');
    const copy: unknown =
      typeof module === 'object' && module !== null && Reflect.get(module, 'AnimalStoreError');
    expect(copy).to.be.a('function').and.not.equal(AnimalStoreError);
    const error: unknown = typeof copy === 'function' && Reflect.construct(copy, ['network', 'down']);
    expect(error).to.be.an.instanceOf(AnimalStoreError);
    expect(new Error('other')).not.to.be.an.instanceOf(AnimalStoreError);
  });
});

describe('A store over HTTP, in this process', () => {
  petRepositoryContract({ describe, it }, openThrough());
  idempotencyExpiryContract({ describe, it }, openThrough());
});

describe('A store behind a fetch handler', () => {
  petRepositoryContract({ describe, it }, openBehindHandler);

  answersEachOperation((pets) => {
    const apiKey = arbitraryApiKey();
    const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), apiKey]]);
    const handle = petRoutesHandler({ openStore: core.storeOpener({ pets, authenticate }) });
    const callHandler: typeof fetch = (input, init) => handle(new Request(input, init));
    const client = animalStoreClient({ baseUrl: 'http://store', apiKey, fetch: callHandler });
    return Promise.resolve({ client, close: () => Promise.resolve() });
  });
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
        toArray: () => Promise.resolve([pet]),
      }),
      get: () => Promise.resolve(pet),
    };
    expectTypeOf(mock.get).parameter(0).toEqualTypeOf<bigint | number | string>();
    expectTypeOf<NewPetInput>().toEqualTypeOf<{
      readonly name: string;
      readonly categoryId: bigint | number | string;
      readonly status?: 'available' | 'pending' | 'sold' | undefined;
    }>();
    expectTypeOf(mock.list).returns.toExtend<AsyncIterable<Pet>>();
    const remote = { baseUrl: '', int64: 'string' } as const;
    expectTypeOf(animalStoreClient(remote)).toEqualTypeOf<AnimalStoreClient<string>>();
    expectTypeOf<PetOf<string>>().toEqualTypeOf<{
      readonly id: string;
      readonly name: string;
      readonly categoryId: string;
      readonly status?: 'available' | 'pending' | 'sold';
    }>();
  });

  it('accept the animals of the core', () => {
    expectTypeOf<core.Pet>().toExtend<Pet>();
    expectTypeOf<core.NewPet>().toExtend<NewPetInput>();
  });
});
