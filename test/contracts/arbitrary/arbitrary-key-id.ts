import { KeyId } from '../../../core';
import { decoded } from '../outcome';
import { arbitraryWord } from './arbitrary-word';

/** An id that no key had before. */
export const arbitraryKeyId = (): KeyId => decoded(KeyId, arbitraryWord());
