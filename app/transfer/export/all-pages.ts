import * as E from 'fp-ts/Either';
import { type ListPets, PageSize, type Pet, type PetId, type PetStatus } from '../../../core';

const limit = 100;

/** All animals by ascending id, or those of one status, a page at a time. Throws when the store can't answer. */
export async function* allPages(listPets: ListPets, status?: PetStatus): AsyncGenerator<ReadonlyArray<Pet>> {
  if (!PageSize.is(limit)) throw new RangeError(`no page has ${limit} animals`);
  let after: PetId | undefined;
  for (let hasMore = true; hasMore;) {
    const page = await listPets({ limit, after, status })();
    if (E.isLeft(page)) throw page.left.cause;
    ({ hasMore } = page.right);
    if (page.right.pets.length > 0) yield page.right.pets;
    after = page.right.pets.at(-1)?.id;
  }
}
