import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import {
  type AnimalStore,
  type ApiKey,
  type Authenticate,
  type NewPet,
  openAnimalStore,
  type PetId,
  type PetQuery,
  type PetRepository,
} from '../../core';
import type * as core from '../../core';

/*
 * Programs that the compiler accepts or rejects, checked by `npm run lint`. Nothing runs them. Only an authenticated
 * caller can use the store, and only values that a codec has checked are accepted.
 */

declare const pets: PetRepository;
declare const authenticate: Authenticate;
declare const apiKey: ApiKey;
declare const query: PetQuery;
declare const newPet: NewPet;
declare const petId: PetId;
declare const store: AnimalStore;

export const asCaller = pipe(
  openAnimalStore({ pets, authenticate })(apiKey),
  TE.flatMap(({ listPets, createPet, getPet }) =>
    pipe(
      listPets(query),
      TE.flatMap(() => createPet(newPet)),
      TE.flatMap(() => getPet(petId)),
    ),
  ),
);

// @ts-expect-error A store that is not open has no operations.
export const unopened: unknown = openAnimalStore({ pets, authenticate }).listPets;

// @ts-expect-error The result of opening a store is not yet a store.
export const unchecked: AnimalStore = openAnimalStore({ pets, authenticate })(apiKey);

// @ts-expect-error A store cannot be opened without a key.
export const keyless = openAnimalStore({ pets, authenticate })();

// @ts-expect-error A store cannot be opened without the authentication port.
export const portless = openAnimalStore({ pets });

// @ts-expect-error A string is not a checked key.
export const uncheckedKey = openAnimalStore({ pets, authenticate })('secret');

// @ts-expect-error A bigint is not a checked id.
export const uncheckedId = store.getPet(7n);

// @ts-expect-error A string is not a checked name.
export const uncheckedName: NewPet = { name: 'Rex', categoryId: newPet.categoryId };

// @ts-expect-error The core exports no operation that needs no caller.
export type ListPets = typeof core.listPets;

// @ts-expect-error The core exports no operation that needs no caller.
export type CreatePet = typeof core.createPet;

// @ts-expect-error The core exports no operation that needs no caller.
export type GetPet = typeof core.getPet;
