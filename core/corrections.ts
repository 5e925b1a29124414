import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { decodeOrThrow, PetCodec } from './codec';
import { type InvalidPetChanges, type PetNotFound, petNotFound, type Unavailable } from './failures';
import { decodePetChanges } from './inputs';
import { newPetFieldNames, type Pet, type PetChanges } from './pets';
import type { PetMaintenance, PetRepository } from './ports';

/** Returns a copy of an animal with the changes. A change to null removes the field. */
export const withChanges = (pet: Pet, changes: PetChanges): Pet => {
  const fields = newPetFieldNames.map((name) => {
    const { [name]: value = pet[name] } = changes;
    return [name, value ?? undefined];
  });
  return decodeOrThrow(PetCodec, { ...pet, ...Object.fromEntries(fields) });
};

/**
 * Changes fields of an animal, and returns the changed animal. Decodes `changes` as PetChanges. Needs no API key. A
 * later retry of the animal's create returns the changed animal.
 */
export const updatePet = (
  pets: Pick<PetMaintenance, 'update'>,
  id: bigint,
  changes: unknown,
): TE.TaskEither<InvalidPetChanges | PetNotFound | Unavailable, Pet> => {
  const decoded = decodePetChanges(changes);
  return E.isLeft(decoded) ? TE.fromEither(decoded) : pets.update(id, decoded.right);
};

/**
 * Deletes one animal, even if its stored values are invalid. Returns the animal as it was before the deletion, or
 * undefined if it could not be read. Needs no API key. A retry of the animal's create fails with PetDeleted.
 */
export const deletePet =
  (
    pets: Pick<PetRepository, 'find'> & Pick<PetMaintenance, 'deleteByIds'>,
    id: bigint,
  ): TE.TaskEither<PetNotFound | Unavailable, Pet | undefined> =>
  async () => {
    const found = await pets.find(id)();
    if (E.isLeft(found) && found.left._tag === 'PetNotFound') return found;
    const deleted = await pets.deleteByIds([id])();
    if (E.isLeft(deleted)) return deleted;
    if (deleted.right === 0) return E.left(petNotFound(id));
    return E.right(E.isRight(found) ? found.right : undefined);
  };
