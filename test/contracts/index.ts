export {
  arbitraryApiKey,
  arbitraryIdempotencyKey,
  arbitraryKeyId,
  arbitraryNewPet,
  arbitraryOwnerId,
  arbitraryPet,
  arbitraryScopedIdempotencyKey,
} from './arbitrary';
export * from './authenticate-contract';
export * from './consume-quota-contract';
export * from './idempotency-expiry-contract';
export * from './pet-maintenance-contract';
export * from './pet-repository-contract';
export type {
  MaintainedRepository,
  OpenPetRepository,
  PetRepositoryOptions,
} from './pet-repository/open-pet-repository';
export * from './reopened-repository-contract';
export type * from './test-runner';
export * from './under-failure-contract';
