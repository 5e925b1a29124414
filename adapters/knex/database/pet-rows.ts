import { Pet } from '../../../core';

/** A row of `pets` as both databases give it when integers are cast to text: nothing passes through a double. */
export interface PetRow {
  readonly id: string;
  readonly name: string;
  readonly category_id: string;
  readonly status: string | null;
}

/** The columns of a PetRow. `pets.id` in an order or a condition is the integer, a bare `id` the text. */
export const petColumns =
  'cast(pets.id as text) as id, name, cast(category_id as text) as category_id, status';

/** The animal of a row. A row that is no animal can only be a defect, or another program's doing. */
export const petFromRow = ({ id, name, category_id, status }: PetRow): Pet => {
  const pet = {
    id: BigInt(id),
    name,
    categoryId: BigInt(category_id),
    ...(status === null ? {} : { status }),
  };
  if (Pet.is(pet)) return pet;
  throw new TypeError(`row ${id} of pets is no animal`);
};
