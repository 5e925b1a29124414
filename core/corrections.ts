import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { type InvalidField, invalidFieldsOf, PetChangesCodec } from './codec';
import type { Pet } from './pets';
import { type PetNotFound, petNotFound, type PetRepository, type Unavailable } from './ports';
import { int64Rule } from './rules';

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
  const decoded = PetChangesCodec.decode(changes);
  if (E.isLeft(decoded)) return TE.left({ _tag: 'InvalidPetChanges', fields: invalidFieldsOf(decoded.left) });
  if (!int64Rule.holds(id)) return TE.left(petNotFound(id));
  return Object.keys(decoded.right).length === 0 ? pets.find(id) : pets.update(id, decoded.right);
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
    for (const id of ids) if (int64Rule.holds(id)) yield id;
  }
  return pets.deleteAll(possibleIds());
};

/** Deletes one animal, as `deletePets` does, and returns the animal as it was. */
export const deletePet = (pets: PetRepository, id: bigint): TE.TaskEither<PetNotFound | Unavailable, Pet> =>
  pipe(
    int64Rule.holds(id) ? pets.find(id) : TE.left(petNotFound(id)),
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
