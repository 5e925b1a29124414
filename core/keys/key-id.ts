import * as t from 'io-ts';
import { brand } from '../codecs/brand';

/** Public id of an API key; safe to log. */
export const KeyId = brand('KeyId', t.string, {
  holds: (id) => id.length > 0,
  expected: 'a string that is not empty',
});
export type KeyId = t.TypeOf<typeof KeyId>;
