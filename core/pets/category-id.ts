import type * as t from 'io-ts';
import { brand } from '../codecs/brand';
import { Int64 } from '../codecs/int64';

/** Identifies the category that an animal belongs to. Categories themselves are not part of the store. */
export const CategoryId = brand('CategoryId', Int64);
export type CategoryId = t.TypeOf<typeof CategoryId>;
