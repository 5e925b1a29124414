import type { Pet } from '../../../core';
import { arbitraryNewPet } from './arbitrary-new-pet';
import { arbitraryPetId } from './arbitrary-pet-id';

/** Any animal with an id, one in two without a status. */
export const arbitraryPet = (): Pet => ({ id: arbitraryPetId(), ...arbitraryNewPet() });
