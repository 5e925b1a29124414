import type { NewPet } from '../../../core';
import { arbitraryCategoryId } from './arbitrary-category-id';
import { arbitraryElement } from './arbitrary-element';
import { arbitraryPetName } from './arbitrary-pet-name';
import { arbitraryPetStatus } from './arbitrary-pet-status';

/** Any animal, one in two without a status. */
export const arbitraryNewPet = (): NewPet => ({
  name: arbitraryPetName(),
  categoryId: arbitraryCategoryId(),
  ...arbitraryElement({}, { status: arbitraryPetStatus() }),
});
