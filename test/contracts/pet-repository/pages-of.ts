import type { Pet, PetPage, PetQuery, PetRepository } from '../../../core';
import { fail, shown } from '../expect-equal';
import { success } from '../outcome';

export const largestPage = 100;

export const pagesOf = async (
  repository: Pick<PetRepository, 'list'>,
  query: PetQuery,
): Promise<ReadonlyArray<PetPage>> => {
  const pages: Array<PetPage> = [];
  for (let { after } = query; ;) {
    const page = await success(repository.list({ ...query, after }));
    pages.push(page);
    if (!page.hasMore) return pages;
    const { length } = page.pets;
    const last = page.pets.at(-1);
    const isBefore =
      after !== undefined && (query.order === 'desc' ? last && last.id >= after : last && last.id <= after);
    if (last === undefined || isBefore === true) {
      const end =
        last === undefined ? 'has no animals' : `ends with id ${last.id}, which does not follow ${after}`;
      return fail(`the page of ${shown({ ...query, after })}: hasMore is true, but the page ${end}`);
    }
    if (length < query.limit) {
      return fail(
        `the page of ${shown({ ...query, after })}: hasMore is true, but the page has ${length} animals`,
      );
    }
    after = last.id;
  }
};

export const allPets = async (
  repository: Pick<PetRepository, 'list'>,
  query: Partial<PetQuery> = {},
): Promise<ReadonlyArray<Pet>> =>
  (await pagesOf(repository, { limit: largestPage, ...query })).flatMap(({ pets }) => pets);
