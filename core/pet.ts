import type * as t from 'io-ts';
import { NewPet } from './new-pet';
import { PetId } from './pet-id';
import { record } from './record';

/** An animal in the store: the fields of a NewPet, and its id. It never changes. */
export const Pet = record('Pet', { id: PetId, ...NewPet.required }, NewPet.optional);
export type Pet = t.TypeOf<typeof Pet>;
