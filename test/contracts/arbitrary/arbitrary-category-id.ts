import { CategoryId } from '../../../core';
import { decoded } from '../outcome';
import { arbitraryInt64 } from './arbitrary-int64';

/** Any category. */
export const arbitraryCategoryId = (): CategoryId => decoded(CategoryId, arbitraryInt64());
