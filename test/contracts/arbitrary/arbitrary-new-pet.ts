import { NewPet } from '../../../core';
import { decoded } from '../outcome';
import { arbitraryCategoryId } from './arbitrary-category-id';
import { arbitraryElement } from './arbitrary-element';
import { arbitraryPetName } from './arbitrary-pet-name';
import { arbitraryPetStatus } from './arbitrary-pet-status';

/** Any animal, one in two without each of its optional fields. A field that is missing here does not compile. */
export const arbitraryNewPet = (): NewPet => {
  const whole: Required<NewPet> = {
    name: arbitraryPetName(),
    categoryId: arbitraryCategoryId(),
    status: arbitraryPetStatus(),
  };
  const left = Object.entries(whole).filter(
    ([field]) => field in NewPet.required || arbitraryElement(true, false),
  );
  return decoded(NewPet, Object.fromEntries(left));
};
