/** Exports for the service and its tests. Embedders use `index.ts`. */
export type { InspectableDatabase, Durability, Limits } from './database/database';
export type { PoolUsage } from './database/pool';
export * from './health/database-status';
export * from './health/inspect-database';
export { readHeartbeat, tryWriting } from './health/trial';
export { migrationSource } from './migrations/migrations';
export { generationMismatch, type SchemaState } from './migrations/schema-state';
export type { RepositoryObserver } from './pets/repository';
export { openPostgresForInspection, postgresConfiguration } from './postgres/postgres';
export { backupSqlite, type BackupOptions, type CopyOptions, type CopyProgress } from './sqlite/backup';
export * from './sqlite/open-for-inspection';
export * from './sqlite/restore';
export { sqliteConfiguration } from './sqlite/sqlite';
