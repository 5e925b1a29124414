/*
 * The client of a store, embedded or remote: its interface, the checks of its arguments, its retries, its errors and
 * exact JSON. Imports neither fp-ts nor io-ts, so that a bundle of the client stays small.
 */
export {
  AnimalStoreError,
  type AnimalStoreErrorCode,
  type InvalidField,
  serviceStatuses,
} from './animal-store-error';
export {
  type ApiKeySource,
  callChecks,
  type Check,
  checkApiKeySource,
  checkArguments,
  checkPet,
  isFunction,
  readApiKey,
  when,
} from './arguments';
export { type AnimalStoreClient, clientOver, type Page, type Query, type Transport } from './client';
export { type CallOptions, type CreateOptions, type PageOptions } from './options';
export { maxPageSize, newPetRules } from '../rules';
export { parseJson, toJson } from './json';
export { type NewPet, type NewPetInput, type Pet } from './pet';
export { type Attempt, clientTimeouts } from './retry';
