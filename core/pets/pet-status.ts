import * as t from 'io-ts';
import { described } from '../codecs/described';

/** Whether an animal can be bought. */
export const PetStatus = described(
  t.keyof({ available: null, pending: null, sold: null }, 'PetStatus'),
  'one of available, pending, sold',
);
export type PetStatus = t.TypeOf<typeof PetStatus>;
