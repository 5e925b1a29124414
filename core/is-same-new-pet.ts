import type { NewPet } from './new-pet';

/** Whether two creations ask for the same animal, whatever their ids. */
export const isSameNewPet = (one: NewPet, other: NewPet): boolean =>
  one.name === other.name && one.categoryId === other.categoryId && one.status === other.status;
