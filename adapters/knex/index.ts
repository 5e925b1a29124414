export * from './api-keys/api-key-store';
export { knexAuthenticate } from './api-keys/knex-authenticate';
export { checkCopySource, type CopiedStore, copyStore, type CopyState, openSqliteSource } from './copy';
export type { Database, Finding, InspectableDatabase, PoolUsage } from './database/database';
export { permanentError } from './database/errors';
export * from './health';
export * from './host-database';
export * from './inspection';
export { migrate, migrateExisting, type MigrateOptions, type NotInitialized } from './migrations/migrate';
export {
  generationMismatch,
  migrationConfig,
  migrationSource,
  type SchemaState,
} from './migrations/migrations';
export { knexPetRepository, type RepositoryObserver } from './pets/repository';
export { openPostgres, postgresConfiguration, type PostgresOptions } from './postgres/postgres';
export { backupSqlite, type CopyOptions, partialFileFor } from './sqlite/backup';
export { identifyFile, isMountPoint, isSameFile } from './sqlite/file';
export * from './sqlite/restore';
export { databaseTimeouts } from './timeouts';
export { openSqlite, sqliteConfiguration, type SqliteOptions } from './sqlite/sqlite';
