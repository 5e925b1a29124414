/** Exports of `animal-store/testing`. Tests of the repository import `index.ts` instead. */
export {
  authenticateContract,
  type BasicRepository,
  consumeQuotaContract,
  correctionsContract,
  idempotencyExpiryContract,
  importAllContract,
  type OpenPetRepository,
  petRepositoryContract,
  reopenedRepositoryContract,
  type TestRunner,
  underFailureContract,
} from './index';
