import type { Pet } from './pet';

/** Animals by ascending id, and whether more of them follow the last. */
export interface PetPage {
  readonly pets: ReadonlyArray<Pet>;
  readonly hasMore: boolean;
}
