import { type AnimalStoreClient, clientOver } from '../../core';
import { httpTransport, type RemoteStore } from './http-transport';

export {
  type AnimalStoreClient,
  AnimalStoreError,
  type CreateOptions,
  type ListOptions,
  type NewPetInput,
  type Pet,
  type PetList,
} from '../../core';
export { httpAnimalStore, type OpenRemoteAnimalStore, type RemoteAnimalStore } from './http-animal-store';

/**
 * Makes the client of a store over HTTP, for programs that use a remote store. The client sends nothing before its
 * first call.
 */
export const animalStoreClient = (store: RemoteStore): AnimalStoreClient => clientOver(httpTransport(store));
