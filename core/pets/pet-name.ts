import * as t from 'io-ts';
import { brand } from '../codecs/brand';
import { isStorable } from '../codecs/is-storable';

/** Any text, empty too, that every store keeps byte for byte: PostgreSQL refuses U+0000, SQLite alters lone surrogates. */
export const PetName = brand('PetName', t.string, {
  holds: isStorable,
  expected: 'a string without U+0000 and lone surrogates',
});
export type PetName = t.TypeOf<typeof PetName>;
