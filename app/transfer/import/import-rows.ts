import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { type ImportAborted, importAborted, type ImportPets, type NewPet } from '../../../core';
import type { Row } from '../rows/row';

/** Why an import of rows has failed: no animal is stored, other than where it is unconfirmed. */
export type ImportRowsFailure =
  | ImportAborted
  /** Some rows are wrong, and all were checked. */
  | { readonly _tag: 'WrongRows' }
  /** The store did not say whether all animals are stored, or none. */
  | { readonly _tag: 'Unconfirmed'; readonly cause: unknown };

interface Options {
  readonly importPets: ImportPets;
  /** Whether wrong rows are left out; else one of them keeps all out. */
  readonly skipInvalid: boolean;
}

const checkRest = (rows: AsyncIterator<Row>): TE.TaskEither<ImportRowsFailure, number> =>
  pipe(
    TE.tryCatch(async () => {
      while ((await rows.next()).done !== true);
    }, importAborted),
    TE.flatMap(() => TE.left<ImportRowsFailure>({ _tag: 'WrongRows' })),
  );

/**
 * Stores the animals of all right rows by one import, all or none of them, with and without `skipInvalid`: so that
 * whatever ends it early, nothing is in. The first wrong row gives the import up at once, which frees the database
 * for others; the rows behind it are still checked.
 */
export const importRows = (
  rows: AsyncIterator<Row>,
  { importPets, skipInvalid }: Options,
): TE.TaskEither<ImportRowsFailure, number> => {
  let isWrong = false;

  const refuseWrong = (reason: string): undefined => {
    if (skipInvalid) return undefined;
    isWrong = true;
    throw new Error(reason);
  };

  async function* rightRows(): AsyncGenerator<NewPet> {
    for (let next = await rows.next(); next.done !== true; next = await rows.next()) {
      const newPet = pipe(next.value.newPet, E.getOrElseW(refuseWrong));
      if (newPet !== undefined) yield newPet;
    }
  }

  return pipe(
    importPets(rightRows()),
    TE.orElse((failure): TE.TaskEither<ImportRowsFailure, number> => {
      if (isWrong) return checkRest(rows);
      return TE.left(failure._tag === 'Unavailable' ? { ...failure, _tag: 'Unconfirmed' } : failure);
    }),
  );
};
