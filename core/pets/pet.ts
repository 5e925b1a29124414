import { contramap, type Ord } from 'fp-ts/Ord';
import type * as t from 'io-ts';
import { NewPet } from './new-pet';
import { ordPetId, PetId } from './pet-id';
import { record } from '../codecs/record';

/** An animal in the store: the fields of a NewPet, and its id. It never changes. */
export const Pet = record('Pet', { id: PetId, ...NewPet.required }, NewPet.optional);
export type Pet = t.TypeOf<typeof Pet>;

/** By ascending id, as every list is. */
export const ordPetById: Ord<Pet> = contramap(({ id }: Pet) => id)(ordPetId);
