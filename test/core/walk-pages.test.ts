import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { inMemoryPetRepository } from '../../adapters/in-memory';
import { type Pet, type PetQuery, type PetRepository, unavailable, walkPages } from '../../core';
import { arbitraryPet } from '../contracts';
import { success } from '../contracts/outcome';

const pets = Array.from({ length: 250 }, (_, index) => ({ ...arbitraryPet(), id: BigInt(index + 1) }));

const { list } = inMemoryPetRepository({ pets });

const walk = async (list: PetRepository['list'], query?: Partial<PetQuery>) => {
  const pages = [];
  for await (const page of walkPages(list, query)) pages.push(page);
  return pages;
};

const idsOf = (pages: Awaited<ReturnType<typeof walk>>): ReadonlyArray<ReadonlyArray<bigint> | undefined> =>
  pages.map((page) => (E.isRight(page) ? page.right.pets.map(({ id }) => id) : undefined));

describe('walkPages', () => {
  it('uses the status, the page size and the start of the query', async () => {
    const query = { status: 'sold', limit: 7, after: 100n } as const;
    const ids = idsOf(await walk(list, query)).flat();
    expect(ids).to.deep.equal(
      pets.filter(({ id, status }) => status === 'sold' && id > 100n).map(({ id }) => id),
    );
  });

  it('reads everything in pages of 100, even if the consumer changes each page', async () => {
    let handedOut: Array<Pet> = [];
    const changeable: PetRepository['list'] = (query) => async () => {
      const page = await success(list(query));
      handedOut = [...page.pets];
      return E.right({ ...page, pets: handedOut });
    };
    const ids: Array<ReadonlyArray<bigint>> = [];
    for await (const page of walkPages(changeable)) {
      expect(E.isRight(page)).to.equal(true);
      ids.push(handedOut.splice(0).map(({ id }) => id));
    }
    expect(ids.map(({ length }) => length)).to.deep.equal([100, 100, 50]);
    expect(ids.flat()).to.deep.equal(pets.map(({ id }) => id));
  });

  it('ends with a failed page', async () => {
    const failure = unavailable('gone');
    const failing: PetRepository['list'] = (query) =>
      query.after === undefined ? list(query) : TE.left(failure);
    const pages = await walk(failing);
    expect(pages).to.have.lengthOf(2);
    expect(pages[1]).to.deep.equal(E.left(failure));
  });

  it('ends at an empty page that says that more follow', async () => {
    expect(await walk(() => TE.right({ pets: [], hasMore: true }))).to.have.lengthOf(1);
  });
});
