import * as t from 'io-ts';
import { described } from './described';

/** Tells a PageSize from any whole number. */
export interface PageSizeBrand {
  readonly PageSize: unique symbol;
}

/** How many animals a page holds at most: 1 to 100. */
export const PageSize = described(
  t.brand(t.Int, (size): size is t.Branded<t.Int, PageSizeBrand> => size >= 1 && size <= 100, 'PageSize'),
  'an integer from 1 to 100',
);
export type PageSize = t.TypeOf<typeof PageSize>;
