import { knexPetMaintenance, knexPetRepository, type StoreDatabase } from '../../../adapters/knex';
import type { MaintainedRepository } from '../../contracts';

/** Makes both ports to the animals of a database. */
export const maintainedRepository = (database: StoreDatabase, operator?: string): MaintainedRepository => ({
  ...knexPetRepository(database),
  ...knexPetMaintenance(database, operator),
});
