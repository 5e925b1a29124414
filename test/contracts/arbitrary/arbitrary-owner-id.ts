import { OwnerId } from '../../../core';
import { decoded } from '../outcome';
import { arbitraryWord } from './arbitrary-word';

/** An id that no owner of API keys had before. */
export const arbitraryOwnerId = (): OwnerId => decoded(OwnerId, arbitraryWord());
