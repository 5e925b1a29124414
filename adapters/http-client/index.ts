import { type AnimalStoreClient, clientOver } from '../../core';
import { httpTransport } from './http-transport';
import type { RemoteStore } from './send';

export {
  type AnimalStoreClient,
  AnimalStoreError,
  type AnimalStoreErrorCode,
  type CallOptions,
  type CreateOptions,
  type ListOptions,
  type NewPetInput,
  type Pet,
  type PetList,
  type PetStatus,
} from '../../core';
export {
  httpAnimalStore,
  type OpenRemoteAnimalStore,
  type PayloadTooLarge,
  type RateLimited,
  type RemoteAnimalStore,
  type RemoteFailure,
} from './http-animal-store';
export type { RemoteStore } from './send';

/** Makes the client of a store over HTTP. It sends nothing before its first call. */
export const animalStoreClient = (store: RemoteStore): AnimalStoreClient => clientOver(httpTransport(store));
