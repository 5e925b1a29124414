export {
  type ApiKeyStore,
  apiKeyStore,
  type Database,
  hostDatabase,
  knexAuthenticate,
  knexPetRepository,
  migrate,
  type MigrationFailed,
  migrationConfig,
  openPostgres,
  openSqlite,
} from './index';
