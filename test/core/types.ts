import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import {
  type AnimalStore,
  type Authenticate,
  type KeyId,
  storeOpener,
  type OwnerId,
  type PetRepository,
} from '../../core';
import type * as core from '../../core';

/*
 * Programs that the compiler accepts or rejects, checked by `npm run lint`. Nothing runs them. They show that only an
 * authenticated caller can use the store, and that callers need not check plain values first.
 */

declare const pets: PetRepository;
declare const authenticate: Authenticate;
declare const ownerId: OwnerId;

export const asCaller = pipe(
  storeOpener({ pets, authenticate })('secret'),
  TE.flatMap(({ listPets, createPet, getPet }) =>
    pipe(
      listPets({ limit: 20 }),
      TE.flatMap(() => createPet({ name: 'Rex', categoryId: 7n })),
      TE.flatMap(() => getPet(7n)),
    ),
  ),
);

// @ts-expect-error A store that is not open has no operations.
export const unopened: unknown = storeOpener({ pets, authenticate }).listPets;

// @ts-expect-error The result of opening a store is not yet a store.
export const unchecked: AnimalStore = storeOpener({ pets, authenticate })('secret');

// @ts-expect-error A store cannot be opened without a key.
export const keyless = storeOpener({ pets, authenticate })();

// @ts-expect-error A store cannot be opened without the authentication port.
export const portless = storeOpener({ pets });

// @ts-expect-error A string is not a checked key: only the store passes keys to the port.
export const uncheckedKey = authenticate('secret');

// @ts-expect-error An id of an owner is not an id of a key.
export const mixedIds: KeyId = ownerId;

// @ts-expect-error The core doesn't export `listPets`. Only a store that was opened with an API key has it.
export type ListPets = typeof core.listPets;

// @ts-expect-error The core doesn't export `createPet`. Only a store that was opened with an API key has it.
export type CreatePet = typeof core.createPet;

// @ts-expect-error The core doesn't export `getPet`. Only a store that was opened with an API key has it.
export type GetPet = typeof core.getPet;
