/** Exports of `animal-store/testing`. Tests of the repository import `index.ts` instead. */
export {
  arbitraryNewPet,
  authenticateContract,
  consumeQuotaContract,
  idempotencyExpiryContract,
  importAllContract,
  type OpenPetRepository,
  petRepositoryContract,
  reopenedRepositoryContract,
  type TestRunner,
  underFailureContract,
} from './index';
