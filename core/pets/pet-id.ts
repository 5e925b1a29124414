import type { Ord } from 'fp-ts/Ord';
import type * as t from 'io-ts';
import { brand } from '../codecs/brand';
import { Int64, ordInt64 } from '../codecs/int64';

/** Identifies one animal; assigned by the store. */
export const PetId = brand('PetId', Int64);
export type PetId = t.TypeOf<typeof PetId>;

/** The order of every list, and equality with it. */
export const ordPetId: Ord<PetId> = ordInt64;
