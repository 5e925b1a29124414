import { ApiKey } from '../../../core';
import { decoded } from '../outcome';
import { arbitraryWord } from './arbitrary-word';

/** A key that nobody has issued. */
export const arbitraryApiKey = (): ApiKey => decoded(ApiKey, arbitraryWord(43));
