export * from './api-key-register';
export * from './database';
export * from './knex-authenticate';
export * from './knex-pet-repository';
export * from './knex-readiness';
export { migrate } from './migrate';
export * from './migration-source';
export * from './postgres';
export * from './sqlite';
