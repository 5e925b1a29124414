/** Exports of `animal-store/testing`. Tests of the repository import `index.ts` instead. */
export {
  authenticateContract,
  consumeQuotaContract,
  idempotencyExpiryContract,
  type OpenPetRepository,
  petMaintenanceContract,
  petRepositoryContract,
  reopenedRepositoryContract,
  type TestRunner,
  underFailureContract,
} from './index';
