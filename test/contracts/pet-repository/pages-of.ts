import { PageSize, type Pet, type PetPage, type PetQuery, type PetRepository } from '../../../core';
import { expectEqual } from '../expect-equal';
import { decoded, success } from '../outcome';

export const pageSize = (size: number): PageSize => decoded(PageSize, size);

export const largestPage = pageSize(100);

/** Reads page after page until there is no more. */
export const pagesOf = async (
  repository: PetRepository,
  query: PetQuery,
): Promise<ReadonlyArray<PetPage>> => {
  const pages: Array<PetPage> = [];
  for (let { after } = query; ;) {
    const page = await success(repository.list({ ...query, after }));
    pages.push(page);
    if (!page.hasMore) return pages;
    const last = page.pets.at(-1);
    const leadsOn = last !== undefined && (after === undefined || last.id > after);
    expectEqual(`whether a page that says more follow ends behind ${after ?? 'the start'}`, leadsOn, true);
    after = last?.id;
  }
};

/** The whole list. */
export const allPets = async (
  repository: PetRepository,
  query: Partial<PetQuery> = {},
): Promise<ReadonlyArray<Pet>> =>
  (await pagesOf(repository, { limit: largestPage, ...query })).flatMap(({ pets }) => pets);
