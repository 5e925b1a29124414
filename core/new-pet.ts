import * as t from 'io-ts';
import { CategoryId } from './category-id';
import { fieldsOnly } from './fields-only';
import { PetName } from './pet-name';
import { PetStatus } from './pet-status';

/** An animal that the store has not numbered yet. */
export interface NewPet {
  readonly name: PetName;
  readonly categoryId: CategoryId;
  readonly status?: PetStatus;
}

/** Decoding drops the fields that a NewPet doesn't have. */
export const NewPet: t.Type<NewPet, unknown> = fieldsOnly(
  t.exact(
    t.intersection([t.type({ name: PetName, categoryId: CategoryId }), t.partial({ status: PetStatus })]),
    'NewPet',
  ),
  ['name', 'categoryId', 'status'],
);
