import * as E from 'fp-ts/Either';
import {
  type Pet,
  type PetPage,
  type PetRepository,
  type PetStatus,
  type Unavailable,
  walkPages,
} from '../../../core';

const petsOf = E.getOrElse(({ cause }: Unavailable): PetPage => {
  throw cause;
});

/** All animals by ascending id, or those of one status, a page at a time. Throws when the store can't answer. */
export async function* allPages(
  list: PetRepository['list'],
  status?: PetStatus,
): AsyncGenerator<ReadonlyArray<Pet>> {
  for await (const page of walkPages(list, { status })) yield petsOf(page).pets;
}
