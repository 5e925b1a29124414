export * from './arbitrary/index';
export * from './authenticate-contract';
export * from './consume-quota-contract';
export * from './create-all-under-failure-contract';
export * from './pet-repository-contract';
export * from './reopened-repository-contract';
export type { OpenPetRepository, PetRepositoryOptions } from './pet-repository/open-pet-repository';
export type { ContractOptions } from './seeded-runner';
export type * from './test-runner';
