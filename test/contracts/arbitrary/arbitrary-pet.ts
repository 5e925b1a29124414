import type { Pet } from '../../../core';
import { arbitraryNewPet } from './arbitrary-new-pet';
import { arbitraryPetId } from './arbitrary-pet-id';

export const arbitraryPet = (): Pet => ({ id: arbitraryPetId(), ...arbitraryNewPet() });
