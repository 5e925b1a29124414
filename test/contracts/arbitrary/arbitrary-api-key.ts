import { ApiKey } from '../../../core';
import { decoded } from '../outcome';
import { arbitraryWord } from './arbitrary-word';

export const arbitraryApiKey = (): ApiKey => decoded(ApiKey, arbitraryWord(43));
