export * from './api-keys/api-key-store';
export { newApiKey } from './api-keys/api-key-rows';
export { knexAuthenticate } from './api-keys/authenticate';
export { type Change, type ChangeLog, changeLog, type Creation } from './change-log';
export { readContents } from './contents';
export { checkCopySource, type CopiedStore, copyStore, type CopyProgress, openSqliteSource } from './copy';
export type {
  ConnectionRoom,
  DatabaseFinding,
  OwnDatabase,
  PostgresDatabase,
  SqliteDatabase,
} from './database/own-database';
export type { PoolUsage } from './database/pool';
export type { StoreDatabase } from './database/store-database';
export { type ErrorKind, DiagnosedError, errorKindOf } from './database/errors';
export * from './host';
export * from './health/doctor';
export {
  migrate,
  migrateExisting,
  type MigrateOptions,
  type NotInitialized,
  readSchema,
} from './migrations/migrate';
export {
  generationMismatch,
  migrationConfig,
  migrationTable,
  ownTables,
  type SchemaState,
} from './migrations/migrations';
export { batchOperations, knexPetRepository, type RepositoryObserver } from './pets/repository';
export * from './health/readiness';
export * from './health/status';
export { postgresConfiguration, type PostgresOptions } from './postgres/configuration';
export { setSequenceAdvice } from './postgres/ids';
export { openPostgres } from './postgres/postgres';
export * from './postgres/quota';
export { dropOwnTables, readRestoreTarget } from './postgres/restore-target';
export { backupSqlite, type BackupOptions } from './sqlite/backup';
export { isInUse, logNameAdvice, lostFileAdvice, readOnlyText } from './sqlite/file-access';
export { isSqlite, refuseForeignFile } from './sqlite/identify-file';
export * from './sqlite/restore';
export { databaseTimeouts } from './database/timeouts';
export { openSqlite, sqliteConfiguration, type SqliteOptions } from './sqlite/sqlite';
