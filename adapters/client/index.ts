export type { NewPet, Pet, PetFilters, PetStatus } from '../../core/pets';
export { petStatuses } from '../../core/rules';
export type { InvalidField } from '../../core/validation';
export { AnimalStoreError, type AnimalStoreErrorCode } from './animal-store-error';
export type { AnimalStoreClient, Page, PetList } from './client';
export { embeddedClient, type EmbeddedClientOptions } from './embedded-client';
export { animalStoreClient, type AnimalStoreClientOptions } from './http-client';
export { parseJson, toJson } from './json';
export type {
  ApiKeySource,
  CallOptions,
  ClientOptions,
  CreateOptions,
  Int64Input,
  NewPetInput,
  PageOptions,
  PetOf,
} from './options';
