import * as t from 'io-ts';
import { described } from './described';

/** Tells a PetName from any string. */
export interface PetNameBrand {
  readonly PetName: unique symbol;
}

const unstorable = /[\0\p{Surrogate}]/u;

/** Any text, empty too, that every store keeps to the letter: PostgreSQL refuses U+0000, SQLite alters lone surrogates. */
export const PetName = described(
  t.brand(t.string, (name): name is t.Branded<string, PetNameBrand> => !unstorable.test(name), 'PetName'),
  'a string without U+0000 and lone surrogates',
);
export type PetName = t.TypeOf<typeof PetName>;
