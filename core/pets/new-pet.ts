import type * as t from 'io-ts';
import { CategoryId } from './category-id';
import { PetName } from './pet-name';
import { PetStatus } from './pet-status';
import { record } from '../codecs/record';

/** An animal that the store has not numbered yet: its fields, required and optional. */
export const NewPet = record('NewPet', { name: PetName, categoryId: CategoryId }, { status: PetStatus });
export type NewPet = t.TypeOf<typeof NewPet>;
