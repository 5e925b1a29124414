export * from './arbitrary/index';
export * from './authenticate-contract';
export * from './pet-repository-contract';
export type { OpenPetRepository, PetRepositoryOptions } from './pet-repository/open-pet-repository';
export type * from './test-runner';
