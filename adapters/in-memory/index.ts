export { inMemoryApiKeys } from './api-keys';
export { inMemoryPetRepository } from './pets';
export { inMemoryQuota } from './quota';
