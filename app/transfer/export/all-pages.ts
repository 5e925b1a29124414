import * as E from 'fp-ts/Either';
import { type Pet, type PetRepository, type PetStatus, walkPages } from '../../../core';

/** All animals by ascending id, or those of one status, a page at a time. Throws when the store can't answer. */
export async function* allPages(
  list: PetRepository['list'],
  status?: PetStatus,
): AsyncGenerator<ReadonlyArray<Pet>> {
  for await (const page of walkPages(list, status === undefined ? {} : { status })) {
    if (E.isLeft(page)) throw page.left.cause;
    if (page.right.pets.length > 0) yield page.right.pets;
  }
}
