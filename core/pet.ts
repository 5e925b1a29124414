import * as t from 'io-ts';
import { CategoryId } from './category-id';
import { fieldsOnly } from './fields-only';
import type { NewPet } from './new-pet';
import { PetId } from './pet-id';
import { PetName } from './pet-name';
import { PetStatus } from './pet-status';

/** An animal in the store. It never changes; without a status it has no `status` field. */
export interface Pet extends NewPet {
  readonly id: PetId;
}

export const Pet: t.Type<Pet, unknown> = fieldsOnly(
  t.exact(
    t.intersection([
      t.type({ id: PetId, name: PetName, categoryId: CategoryId }),
      t.partial({ status: PetStatus }),
    ]),
    'Pet',
  ),
  ['id', 'name', 'categoryId', 'status'],
);
