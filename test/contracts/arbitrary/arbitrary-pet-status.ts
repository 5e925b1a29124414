import type { PetStatus } from '../../../core';
import { arbitraryElement } from './arbitrary-element';

export const arbitraryPetStatus = (): PetStatus =>
  arbitraryElement<PetStatus>('available', 'pending', 'sold');
