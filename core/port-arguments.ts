/*
 * Checks of the arguments of PetRepository and PetMaintenance. Their types permit values that no store can hold, and a
 * program may call an adapter without the core.
 */

import { checkPetChanges } from './corrections';
import type { NewPet, PetChanges, PetQuery } from './pets';
import { type Unavailable, unavailable } from './ports';
import { listRules, newPetRules } from './rules';
import { fieldChecks, invalidFieldTexts, objectCheck, type ObjectCheck, predicateCheck } from './validation';

const failureOf =
  <A>(check: ObjectCheck<A>) =>
  (value: A): Unavailable | undefined => {
    const checked = check(value);
    return checked._tag === 'Right'
      ? undefined
      : unavailable(new TypeError(invalidFieldTexts(checked.left).join('; ')));
  };

/** Returns the failure of a list whose query is invalid, such as an id beyond int64. It could fail a whole batch. */
export const failureOfQuery: (query: PetQuery) => Unavailable | undefined = failureOf(
  objectCheck<PetQuery>({
    limit: predicateCheck(
      (limit) => Number.isSafeInteger(limit) && Number(limit) > 0,
      'an integer of at least 1',
    ),
    ...fieldChecks(listRules),
  }),
);

/** Returns the failure of a new animal that is invalid. SQLite would store it, and later lists would fail. */
export const failureOfNewPet: (newPet: NewPet) => Unavailable | undefined = failureOf(
  objectCheck<NewPet>(fieldChecks(newPetRules)),
);

/** Returns the failure of changes that are invalid. SQLite would store them, and later lists would fail. */
export const failureOfPetChanges: (changes: PetChanges) => Unavailable | undefined =
  failureOf(checkPetChanges);
