/* Reads and writes of many animals, for imports, exports and copies. */

import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import type { ImportAborted, InvalidNewPet, Unavailable } from './failures';
import { decodeNewPet } from './inputs';
import type { NewPet, PetPage, PetQuery } from './pets';
import type { ImportedPets, OnIds, PetMaintenance, PetRepository } from './ports';
import { maxPageSize } from './rules';

/** Callbacks of an import. If one throws, nothing is stored. */
export interface ImportCallbacks {
  /**
   * Gets the failure of each invalid animal. The import leaves this animal out. Without this callback, an import fails
   * at the first invalid animal.
   */
  readonly onInvalid?: ((failure: InvalidNewPet) => void) | undefined;
  /** Gets the names of properties that are not fields of a new animal. */
  readonly onUnknownFields?: ((names: ReadonlyArray<string>) => void) | undefined;
  /** Gets new ids before their animals are stored. */
  readonly onIds?: OnIds | undefined;
}

/** Yields the valid animals of a source. If a callback throws, closes the source and throws the same error. */
export async function* decodeNewPets(
  newPets: Iterable<unknown> | AsyncIterable<unknown>,
  { onInvalid, onUnknownFields }: ImportCallbacks,
): AsyncGenerator<NewPet> {
  for await (const newPet of newPets) {
    const decoded = decodeNewPet(newPet);
    if (E.isLeft(decoded)) {
      onInvalid?.(decoded.left);
      continue;
    }
    const { value, unknownFields } = decoded.right;
    if (unknownFields.length > 0) onUnknownFields?.(unknownFields);
    yield value;
  }
}

/**
 * Adds all animals of a source or none, and returns their number, first and last id. Needs no API key. Without
 * `onInvalid`, fails with InvalidNewPet at the first invalid animal. Fails with ImportAborted, and stores nothing, if
 * the source, a callback or the store fails before the commit. After Unavailable, either all animals are stored or
 * none.
 */
export const importAll =
  (
    pets: Pick<PetMaintenance, 'importAll'>,
    newPets: Iterable<unknown> | AsyncIterable<unknown>,
    callbacks: ImportCallbacks = {},
  ): TE.TaskEither<InvalidNewPet | ImportAborted | Unavailable, ImportedPets> =>
  async () => {
    const invalid: Array<InvalidNewPet> = [];
    const onInvalid = (failure: InvalidNewPet): void => {
      invalid.push(failure);
      throw new Error('the source has an invalid animal');
    };
    const decoded = decodeNewPets(newPets, { ...callbacks, onInvalid: callbacks.onInvalid ?? onInvalid });
    const source = { [Symbol.asyncIterator]: () => decoded };
    const imported = await pets.importAll(source, callbacks.onIds)();
    const [failure] = invalid;
    return E.isLeft(imported) && failure !== undefined ? E.left(failure) : imported;
  };

/**
 * Yields the pages of a list, of 100 animals each if the query has no limit. Reads the next page while the consumer
 * works on the current one. Animals that are added during the walk may appear on later pages. If a read fails, the
 * generator yields the failure and ends.
 */
export async function* walkPages(
  list: PetRepository['list'],
  query: Partial<PetQuery> = {},
): AsyncGenerator<E.Either<Unavailable, PetPage>> {
  const { limit = maxPageSize } = query;
  let { after } = query;
  const read = () => list({ ...query, limit, after })();
  let next: ReturnType<typeof read> | undefined = read();
  while (next !== undefined) {
    const page: Awaited<typeof next> = await next;
    after = E.isRight(page) && page.right.hasMore ? page.right.pets.at(-1)?.id : undefined;
    next = after === undefined ? undefined : read();
    yield page;
  }
}
