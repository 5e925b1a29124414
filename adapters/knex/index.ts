export * from './api-keys/api-key-register';
export type * from './database/database';
export type { ApiKeyStatus, EndingOwner } from './api-keys/api-key-status';
export * from './health/database-status';
export * from './health/inspect-database';
export * from './host/host-database';
export * from './api-keys/knex-authenticate';
export * from './pets/knex-pet-repository';
export * from './health/knex-readiness';
export * from './migrations/migrate';
export { migrationConfig } from './migrations/migration-config';
export type { MigrationFailed } from './migrations/migration-failed';
export { migrationSource } from './migrations/migration-source';
export { generationMismatch, type SchemaState } from './migrations/schema-state';
export type { PoolUsage } from './database/knex-pool';
export {
  openPostgres,
  postgresConfiguration,
  type PostgresOptions,
  type PreparedStatements,
} from './postgres/postgres';
export type * from './batching/repository-observer';
export * from './backup/backup-sqlite';
export type { CopyOptions, CopyProgress } from './backup/copy-pages';
export * from './sqlite/open-sqlite-as-found';
export * from './backup/restore-sqlite';
export * from './sqlite/sqlite';
