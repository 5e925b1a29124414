/** The names of `animal-store/knex`, for embedders. The app imports `index.ts`. */
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
