import * as t from 'io-ts';
import { Int64 } from './int64';

/** Tells a PetId from any Int64. */
export interface PetIdBrand {
  readonly PetId: unique symbol;
}

/** Identifies one animal; assigned by the store. */
export const PetId = t.brand(Int64, (id): id is t.Branded<Int64, PetIdBrand> => Int64.is(id), 'PetId');
export type PetId = t.TypeOf<typeof PetId>;
