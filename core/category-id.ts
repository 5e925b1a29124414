import * as t from 'io-ts';
import { Int64 } from './int64';

/** Tells a CategoryId from any Int64. */
export interface CategoryIdBrand {
  readonly CategoryId: unique symbol;
}

/** Identifies the category that an animal belongs to. Categories themselves are not part of the store. */
export const CategoryId = t.brand(
  Int64,
  (id): id is t.Branded<Int64, CategoryIdBrand> => Int64.is(id),
  'CategoryId',
);
export type CategoryId = t.TypeOf<typeof CategoryId>;
