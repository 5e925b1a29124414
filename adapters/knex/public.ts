/** Exports of `animal-store/knex`, for programs that embed the store. */
export {
  type ApiKeyStore,
  apiKeyStore,
  hostDatabase,
  knexAuthenticate,
  knexPetMaintenance,
  knexPetRepository,
  migrate,
  migrationConfig,
  openPostgres,
  openSqlite,
  type OpenedDatabase,
  type PostgresDatabase,
  type SqliteDatabase,
  type StoreDatabase,
} from './index';
