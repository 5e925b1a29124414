import * as t from 'io-ts';
import { brand } from '../codecs/brand';
import { decodeOrThrow } from '../codecs/decode-or-throw';

/** How many animals a page holds at most: 1 to 100. */
export const PageSize = brand('PageSize', t.Int, {
  holds: (size) => size >= 1 && size <= 100,
  expected: 'an integer from 1 to 100',
});
export type PageSize = t.TypeOf<typeof PageSize>;

/** What a page holds when nobody says how much: 20. */
export const defaultPageSize: PageSize = decodeOrThrow(PageSize, 20);

/** The most that a page may hold: 100. */
export const largestPageSize: PageSize = decodeOrThrow(PageSize, 100);
