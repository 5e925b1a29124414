import type { PageSize } from './page-size';
import type { PetId } from './pet-id';
import type { PetStatus } from './pet-status';

/** Which page of the catalogue: at most `limit` animals that follow `after`, of one status if it is given. */
export interface PetQuery {
  readonly limit: PageSize;
  readonly after?: PetId | undefined;
  readonly status?: PetStatus | undefined;
}
