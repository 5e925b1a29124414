import * as t from 'io-ts';
import { brand } from '../codecs/brand';
import { isStorable } from '../codecs/is-storable';

/** Public id of an API key; safe to log. */
export const KeyId = brand('KeyId', t.string, {
  holds: (id) => id.length > 0 && isStorable(id),
  expected: 'a string that is not empty, without U+0000 and lone surrogates',
});
export type KeyId = t.TypeOf<typeof KeyId>;
