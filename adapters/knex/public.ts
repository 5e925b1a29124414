/** Exports of `animal-store/knex`, for programs that embed the store. The app imports `index.ts` instead. */
export {
  type ApiKeyStore,
  apiKeyStore,
  hostDatabase,
  knexAuthenticate,
  knexPetRepository,
  migrate,
  migrationConfig,
  openPostgres,
  openSqlite,
  type OwnDatabase,
  type StoreDatabase,
} from './index';
