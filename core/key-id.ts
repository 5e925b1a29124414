import * as t from 'io-ts';
import { described } from './described';

/** Tells a KeyId from any string. */
export interface KeyIdBrand {
  readonly KeyId: unique symbol;
}

/** Names an API key without being it: what logs may show and what a caller's own records are kept under. */
export const KeyId = described(
  t.brand(t.string, (id): id is t.Branded<string, KeyIdBrand> => id.length > 0, 'KeyId'),
  'a string that is not empty',
);
export type KeyId = t.TypeOf<typeof KeyId>;
