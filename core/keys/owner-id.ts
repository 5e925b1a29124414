import * as t from 'io-ts';
import { brand } from '../codecs/brand';

/** Public id of who holds API keys: the same for each key that follows another by rotation. Safe to log. */
export const OwnerId = brand('OwnerId', t.string, {
  holds: (id) => id.length > 0,
  expected: 'a string that is not empty',
});
export type OwnerId = t.TypeOf<typeof OwnerId>;
