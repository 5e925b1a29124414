import { expectTypeOf } from 'expect-type';
import Koa from 'koa';
import { mountPetRoutes } from '../../../adapters/http';
import {
  animalStoreClient,
  type NewPetInput,
  type OpenRemoteAnimalStore,
  type PetList,
  type RemoteAnimalStore,
} from '../../../adapters/http-client';
import { inMemoryApiKeys } from '../../../adapters/in-memory';
import {
  type AnimalStore,
  type AnimalStoreClient,
  openAnimalStore,
  type OpenAnimalStore,
  type Pet,
} from '../../../core';
import {
  arbitraryApiKey,
  arbitraryKeyId,
  idempotencyExpiryContract,
  petRepositoryContract,
} from '../../contracts';
import { clientSuite } from '../../core/client-suite';
import { servePlainly } from '../../support/http/listen';
import { openThrough } from './remote-repository';

describe('The client over HTTP', () => {
  clientSuite(async (pets, apiKey) => {
    const key = arbitraryApiKey();
    const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);
    const app = new Koa();
    app.silent = true;
    mountPetRoutes(app, openAnimalStore({ pets, authenticate }));
    const { address, close } = await servePlainly(app.callback());
    return { client: animalStoreClient({ baseUrl: address, apiKey: apiKey ?? key }), close };
  });
});

describe('A store over HTTP, in this process', () => {
  petRepositoryContract({ describe, it }, openThrough());
  idempotencyExpiryContract({ describe, it }, openThrough());
});

describe('The types of the client', () => {
  it('let an embedded store stand for a remote one', () => {
    expectTypeOf<OpenAnimalStore>().toExtend<OpenRemoteAnimalStore>();
    expectTypeOf<AnimalStore>().toExtend<RemoteAnimalStore>();
    expectTypeOf<RemoteAnimalStore>().not.toHaveProperty('caller');
  });

  it('are plain values for input', () => {
    expectTypeOf<NewPetInput>().toEqualTypeOf<{
      readonly name: string;
      readonly categoryId: bigint | number;
      readonly status?: 'available' | 'pending' | 'sold';
    }>();
    expectTypeOf<AnimalStoreClient['get']>().parameter(0).toEqualTypeOf<bigint | number>();
  });

  it('are plain values for output', () => {
    expectTypeOf<Awaited<ReturnType<AnimalStoreClient['create']>>>().toEqualTypeOf<Pet>();
    expectTypeOf<PetList>().toExtend<AsyncIterable<{ readonly id: bigint; readonly name: string }>>();
  });
});
