import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { ApiKey } from './api-key';
import type { Authenticate } from './authenticate';
import { caller, type Caller } from './caller';
import { createPet, type CreatePet } from './create-pet';
import type { Deadline } from './deadline';
import type { InvalidApiKey, Unavailable } from './failures';
import { getPet, type GetPet } from './get-pet';
import { importPets, type ImportPets } from './import-pets';
import type { KeyId } from './key-id';
import { listPets, type ListPets } from './list-pets';
import type { PetRepository } from './pet-repository';

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
 * Unavailable; the operations have deadlines of their own.
 */
export type OpenAnimalStore = (
  apiKey: ApiKey,
  deadline?: Deadline,
) => TaskEither<InvalidApiKey | Unavailable, AnimalStore>;

/** Puts the store together from its two ports. */
export const openAnimalStore = ({ pets, authenticate }: Ports): OpenAnimalStore => {
  const list = listPets(pets);
  const create = createPet(pets);
  const bringIn = importPets(pets);
  const get = getPet(pets);
  const operationsOf = (known: Caller): AnimalStore => ({
    keyId: known.keyId,
    listPets: list(known),
    createPet: create(known),
    importPets: bringIn(known),
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the contract has it until 5 December 2030
    getPet: get(known),
  });
  return (apiKey, deadline) => async () =>
    pipe(
      await authenticate(apiKey, deadline)(),
      E.map((keyId) => operationsOf(caller(keyId))),
    );
};
