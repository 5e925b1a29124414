import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { TaskEither } from 'fp-ts/TaskEither';
import { ApiKey } from '../keys/api-key';
import type { Authenticate } from '../ports/authenticate';
import { createPet, type CreatePet } from './create-pet';
import type { Deadline } from '../ports/deadline';
import { type InvalidApiKey, invalidApiKey, type Unavailable } from '../ports/failures';
import { type GetPet, getPet } from './get-pet';
import { importPets, type ImportPets } from './import-pets';
import type { KeyId } from '../keys/key-id';
import { listPets, type ListPets } from './list-pets';
import type { PetRepository } from '../ports/pet-repository';

/** What the core needs from outside: an adapter for each of its ports. */
export interface Ports {
  readonly pets: PetRepository;
  readonly authenticate: Authenticate;
}

/** What an authenticated caller can do. */
export interface AnimalStore {
  readonly keyId: KeyId;
  readonly listPets: ListPets;
  readonly createPet: CreatePet;
  readonly importPets: ImportPets;
  /** @deprecated Ends on 5 December 2030 (interface 1.0.0, section 9). List with a status filter instead. */
  readonly getPet: GetPet;
}

/**
 * The one entrance: takes a key, and answers with the operations or with InvalidApiKey. At the deadline it ends as
 * Unavailable; the operations have deadlines of their own. What is no key, as JavaScript may pass it, is no valid one.
 */
export type OpenAnimalStore = (
  apiKey: ApiKey,
  deadline?: Deadline,
) => TaskEither<InvalidApiKey | Unavailable, AnimalStore>;

/** Puts the store together from its two ports. Nothing else in the core's index hands out an operation. */
export const openAnimalStore = ({ pets, authenticate }: Ports): OpenAnimalStore => {
  const list = listPets(pets);
  const bringIn = importPets(pets);
  const get = getPet(pets);
  const operationsOf = (keyId: KeyId): AnimalStore => ({
    keyId,
    listPets: list,
    createPet: createPet(pets, keyId),
    importPets: bringIn,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the contract has it until 5 December 2030
    getPet: get,
  });
  return (apiKey, deadline) => async () =>
    ApiKey.is(apiKey)
      ? pipe(await authenticate(apiKey, deadline)(), E.map(operationsOf))
      : E.left(invalidApiKey);
};
