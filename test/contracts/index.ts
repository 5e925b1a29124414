export * from './arbitrary';
export * from './authenticate-contract';
export * from './pet-repository-contract';
export type * from './pet-repository/open-pet-repository';
export type * from './test-runner';
