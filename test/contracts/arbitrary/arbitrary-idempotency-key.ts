import { IdempotencyKey } from '../../../core';
import { decoded } from '../outcome';
import { arbitraryWord } from './arbitrary-word';

export const arbitraryIdempotencyKey = (): IdempotencyKey => decoded(IdempotencyKey, arbitraryWord(32));
