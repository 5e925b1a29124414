import { IdempotencyKey } from '../../../core';
import { decoded } from '../outcome';
import { arbitraryWord } from './arbitrary-word';

/** A name for a creation that none had before. */
export const arbitraryIdempotencyKey = (): IdempotencyKey => decoded(IdempotencyKey, arbitraryWord(32));
