import { KeyId } from '../../../core';
import { decoded } from '../outcome';
import { arbitraryWord } from './arbitrary-word';

export const arbitraryKeyId = (): KeyId => decoded(KeyId, arbitraryWord());
