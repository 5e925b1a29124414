import type { NewPet } from './new-pet';
import type { PageSize } from './page-size';
import type { Pet } from './pet';
import type { PetId } from './pet-id';

/** The fields by whose values animals can be listed. */
export const petFilters = ['status'] as const satisfies ReadonlyArray<keyof NewPet>;

/** The values that the animals of a list must have. A field that is left out may have any, or none. */
export type PetFilters = { readonly [Field in (typeof petFilters)[number]]?: NewPet[Field] | undefined };

/** Which page of the catalogue: at most `limit` animals that follow `after`, of those that pass the filters. */
export interface PetQuery extends PetFilters {
  readonly limit: PageSize;
  readonly after?: PetId | undefined;
}

/** Whether an animal has the values of these filters. */
export const passesFilters = (filters: PetFilters, pet: Pet): boolean =>
  petFilters.every((field) => filters[field] === undefined || filters[field] === pet[field]);
