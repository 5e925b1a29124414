import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { checkPetChanges } from './codec';
import type { Pet } from './pets';
import { type PetNotFound, petNotFound, type PetRepository, type Unavailable } from './ports';
import { type InvalidField, isInt64 } from './validation';

/** Failure of an update: the changes have fields with invalid values. */
export interface InvalidPetChanges {
  readonly _tag: 'InvalidPetChanges';
  readonly fields: ReadonlyArray<InvalidField>;
}

/**
 * Changes fields of an animal, and returns the changed animal. Decodes `changes` as PetChanges. Works on the repository
 * itself, so it needs no API key. A retry of the animal's create then returns the changed animal.
 */
export const updatePet = (
  pets: PetRepository,
  id: bigint,
  changes: unknown,
): TE.TaskEither<InvalidPetChanges | PetNotFound | Unavailable, Pet> => {
  const checked = checkPetChanges(changes);
  if (E.isLeft(checked)) return TE.left({ _tag: 'InvalidPetChanges', fields: checked.left });
  if (!isInt64(id)) return TE.left(petNotFound(id));
  const { value } = checked.right;
  return Object.keys(value).length === 0 ? pets.find(id) : pets.update(id, value);
};

/**
 * Deletes the animals with these ids, all or none, and returns how many existed. Works on the repository itself, so it
 * needs no API key. A retry of a deleted animal's create fails with PetDeleted until its idempotency key expires.
 */
export const deletePets = (
  pets: PetRepository,
  ids: Iterable<bigint>,
): TE.TaskEither<Unavailable, number> => {
  function* possibleIds(): Generator<bigint> {
    for (const id of ids) if (isInt64(id)) yield id;
  }
  return pets.deleteAll(possibleIds());
};

/** Deletes one animal, as `deletePets` does, and returns the animal as it was. */
export const deletePet = (pets: PetRepository, id: bigint): TE.TaskEither<PetNotFound | Unavailable, Pet> =>
  pipe(
    isInt64(id) ? pets.find(id) : TE.left(petNotFound(id)),
    TE.tap(() =>
      pipe(
        deletePets(pets, [id]),
        TE.filterOrElseW(
          (count) => count > 0,
          () => petNotFound(id),
        ),
      ),
    ),
  );
