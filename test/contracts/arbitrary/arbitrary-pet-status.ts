import type { PetStatus } from '../../../core';
import { arbitraryElement } from './arbitrary-element';

/** Any of the three. */
export const arbitraryPetStatus = (): PetStatus =>
  arbitraryElement<PetStatus>('available', 'pending', 'sold');
