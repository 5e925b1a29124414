import * as t from 'io-ts';
import { brand } from '../codecs/brand';
import { isStorable } from '../codecs/is-storable';

/** Public id of who holds API keys: the same for each key that follows another by rotation. Safe to log. */
export const OwnerId = brand('OwnerId', t.string, {
  holds: (id) => id.length > 0 && isStorable(id),
  expected: 'a string that is not empty, without U+0000 and lone surrogates',
});
export type OwnerId = t.TypeOf<typeof OwnerId>;
