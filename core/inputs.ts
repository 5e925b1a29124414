/*
 * Checks of whole inputs. `decode...` checks the untyped input of an operation. `valid...` checks an argument of
 * PetRepository or PetMaintenance again, because a program may call an adapter without the core. The program may pass
 * values that no store can hold or, from JavaScript, numbers in place of bigints. All these functions return copies
 * with only the known fields, so a program may change its object before the animal is stored.
 */

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import {
  type InvalidNewPet,
  type InvalidPetChanges,
  type InvalidQuery,
  type Unavailable,
  unavailable,
} from './failures';
import type { NewPet, PetChanges, PetQuery } from './pets';
import { defaultPageSize, listRules, newPetRules, pageSizeCheck } from './rules';
import {
  type Checked,
  fieldCheck,
  fieldChecks,
  invalidFieldTexts,
  objectCheck,
  type ObjectCheck,
  predicateCheck,
} from './validation';

const listChecks = fieldChecks(listRules);

const checkPetQuery = objectCheck<Partial<PetQuery>>({ limit: pageSizeCheck, ...listChecks });

const checkNewPet = objectCheck<NewPet>(fieldChecks(newPetRules));

/** Checks changes of an animal. For an optional field, accepts null, which removes the field. */
const checkPetChanges = objectCheck<PetChanges>(
  fieldChecks(newPetRules, (rule) => {
    const { decode, explain } = fieldCheck(rule);
    return { explain, decode: (input) => (input === null && !rule.required ? null : decode(input)) };
  }),
);

/** Decodes a query whose `limit` may be missing. */
export const decodePetQuery = (query: unknown): E.Either<InvalidQuery, PetQuery> =>
  pipe(
    checkPetQuery(query),
    E.bimap(
      (fields) => ({ _tag: 'InvalidQuery', fields }),
      ({ value }) => ({ limit: defaultPageSize, ...value }),
    ),
  );

/** Decodes an animal to add, and names the properties that it ignores. */
export const decodeNewPet = (newPet: unknown): E.Either<InvalidNewPet, Checked<NewPet>> =>
  pipe(
    checkNewPet(newPet),
    E.mapLeft((fields) => ({ _tag: 'InvalidNewPet', fields })),
  );

export const decodePetChanges = (changes: unknown): E.Either<InvalidPetChanges, PetChanges> =>
  pipe(
    checkPetChanges(changes),
    E.bimap(
      (fields) => ({ _tag: 'InvalidPetChanges', fields }),
      ({ value }) => value,
    ),
  );

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

/** Returns a copy of a query, or fails if it is invalid, because an invalid query could make its batch fail. */
export const validPetQuery: (query: PetQuery) => E.Either<Unavailable, PetQuery> = valid(
  objectCheck<PetQuery>({
    limit: predicateCheck(
      (limit) => Number.isSafeInteger(limit) && Number(limit) > 0,
      'an integer of at least 1',
    ),
    ...listChecks,
  }),
);

/** Returns a copy of a new animal, or fails if it is invalid: SQLite would store it, and later lists would fail. */
export const validNewPet: (newPet: NewPet) => E.Either<Unavailable, NewPet> = valid(checkNewPet);

/** Returns a copy of changes, or fails if they are invalid: SQLite would store them, and later lists would fail. */
export const validPetChanges: (changes: PetChanges) => E.Either<Unavailable, PetChanges> =
  valid(checkPetChanges);
