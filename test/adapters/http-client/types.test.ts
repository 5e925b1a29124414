import { expectTypeOf } from 'expect-type';
import type {
  NewPetInput,
  OpenRemoteAnimalStore,
  PetList,
  RemoteAnimalStore,
} from '../../../adapters/http-client';
import type { AnimalStore, AnimalStoreClient, OpenAnimalStore, Pet } from '../../../core';

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
