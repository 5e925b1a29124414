export * from './in-memory-api-keys';
export * from './in-memory-pet-repository';
