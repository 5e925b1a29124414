/*
 * Checks of the arguments of PetRepository and PetMaintenance. A program may call an adapter without the core, with
 * values that no store can hold, or from JavaScript with numbers in place of bigints. The checks return copies with
 * only the known fields, each with a value of its type.
 */

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { checkPetChanges } from './corrections';
import type { NewPet, PetChanges, PetQuery } from './pets';
import { type Unavailable, unavailable } from './ports';
import { listRules, newPetRules } from './rules';
import { fieldChecks, invalidFieldTexts, objectCheck, type ObjectCheck, predicateCheck } from './validation';

const valid =
  <A>(check: ObjectCheck<A>) =>
  (value: A): E.Either<Unavailable, A> =>
    pipe(
      check(value),
      E.bimap(
        (fields) => unavailable(new TypeError(invalidFieldTexts(fields).join('; '))),
        (checked) => checked.value,
      ),
    );

/** Returns a query, or fails if it is invalid, such as by an id beyond int64. An invalid query could fail its batch. */
export const validPetQuery: (query: PetQuery) => E.Either<Unavailable, PetQuery> = valid(
  objectCheck<PetQuery>({
    limit: predicateCheck(
      (limit) => Number.isSafeInteger(limit) && Number(limit) > 0,
      'an integer of at least 1',
    ),
    ...fieldChecks(listRules),
  }),
);

/** Returns a new animal, or fails if it is invalid. SQLite would store invalid values, and later lists would fail. */
export const validNewPet: (newPet: NewPet) => E.Either<Unavailable, NewPet> = valid(
  objectCheck<NewPet>(fieldChecks(newPetRules)),
);

/** Returns changes, or fails if they are invalid. SQLite would store invalid values, and later lists would fail. */
export const validPetChanges: (changes: PetChanges) => E.Either<Unavailable, PetChanges> =
  valid(checkPetChanges);
