import { PetId } from '../../../core';
import { decoded } from '../outcome';
import { arbitraryInt64 } from './arbitrary-int64';

/** Any id, negative ones too. */
export const arbitraryPetId = (): PetId => decoded(PetId, arbitraryInt64());
