import { NewPet } from './new-pet';

/** Whether two creations ask for the same animal, whatever their ids. */
export const isSameNewPet = (one: NewPet, other: NewPet): boolean => NewPet.eq.equals(one, other);
