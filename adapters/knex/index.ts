// Databases and their ports, for the service and for all commands
export { openPostgres } from './postgres/postgres';
export { postgresMigrationConfiguration, type PostgresOptions } from './postgres/configuration';
export { sqliteMigrationConfiguration } from './sqlite/open';
export { openSqlite, type SqliteOptions } from './sqlite/sqlite';
export * from './host';
export type {
  ConnectionRoom,
  DatabaseFinding,
  OpenedDatabase,
  PostgresDatabase,
  SqliteDatabase,
} from './database/opened-database';
export type { StoreDatabase } from './database/store-database';
export * from './pets/repository';
export { knexAuthenticate } from './api-keys/authenticate';
export { invalidOwnerText, newApiKey } from './api-keys/api-key-rows';
export * from './api-keys/api-key-store';
export * from './postgres/quota';

// Migrations
export {
  migrate,
  migrateExisting,
  type MigrateOptions,
  type NotInitialized,
  readSchema,
  readUsableSchema,
} from './migrations/migrate';
export { migrationConfig } from './migrations/migrations';
export type { SchemaState } from './migrations/schema-state';

// Checks and metrics
export * from './health/doctor';
export * from './health/readiness';
export * from './health/status';
export type { PoolUsage } from './database/pool';
export { migrationTable, storeTables } from './database/tables';
export { databaseTimeouts } from './database/timeouts';

// Commands that copy, back up or restore a store, or show its changes
export { type Change, type ChangeLog, changeLog, type Creation } from './read-changes';
export { summarizeContents } from './contents';
export { checkCopySource, type CopiedStore, copyStore, type CopyProgress } from './copy';
export { dropStoreTables, readRestoreTarget } from './postgres/restore-target';
export { backupSqlite, type BackupOptions } from './sqlite/backup';
export { openSqliteSource } from './sqlite/open';
export * from './sqlite/restore';

// Errors and files, for advice on what to do
export {
  DatabaseError,
  DiagnosedError,
  type ErrorKind,
  errorKindOf,
  mayBeCommitted,
} from './database/errors';
export { setSequenceAdvice } from './postgres/checks';
export { findFileFault, isSqlite, replacementFault } from './sqlite/database-file';
export { refuseForeignFile } from './sqlite/inspect-file';
