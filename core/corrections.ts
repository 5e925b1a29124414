import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { decodeOrThrow, PetCodec } from './codec';
import { newPetFieldNames, type Pet, type PetChanges } from './pets';
import {
  type PetMaintenance,
  type PetNotFound,
  petNotFound,
  type PetRepository,
  type Unavailable,
} from './ports';
import { newPetRules } from './rules';
import { fieldCheck, fieldChecks, type InvalidField, objectCheck } from './validation';

/** Failure of an update: the changes have fields with invalid values. */
export interface InvalidPetChanges {
  readonly _tag: 'InvalidPetChanges';
  readonly fields: ReadonlyArray<InvalidField>;
}

/** Checks changes to an animal. Null removes an optional field. */
export const checkPetChanges = objectCheck<PetChanges>(
  fieldChecks(newPetRules, (rule) => {
    const { decode, explain } = fieldCheck(rule);
    return { explain, decode: (input) => (input === null && !rule.required ? null : decode(input)) };
  }),
);

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
  const checked = checkPetChanges(changes);
  return E.isLeft(checked)
    ? TE.left({ _tag: 'InvalidPetChanges', fields: checked.left })
    : pets.update(id, checked.right.value);
};

/**
 * Deletes one animal, even an invalid one. Returns the animal as read just before, or undefined if that read failed.
 * Needs no API key. A retry of the animal's create fails with PetDeleted.
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
