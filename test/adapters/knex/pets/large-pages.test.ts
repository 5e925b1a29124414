import { expect } from 'chai';
import { type Database, knexPetRepository } from '../../../../adapters/knex';
import { decodeOrThrow, OwnerId, PetName, type PetRepository } from '../../../../core';
import { arbitraryNewPet } from '../../../contracts';
import { pageSize } from '../../../contracts/pet-repository/pages-of';
import { petId } from '../../../contracts/pet-repository/seeds';
import { databaseKinds, withDatabase } from '../../../support/databases/databases';
import { success } from '../../../contracts/outcome';
import { sourceOf } from '../../../contracts/source-of';

const longName = decodeOrThrow(PetName, 'é'.repeat(32_768));
const [one, other] = ['one', 'other'].map((text) => decodeOrThrow(OwnerId, text));

const insertName = ({ writes }: Database, name: string) =>
  writes('pets').insert({ name, category_id: 1, status: null });

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`Large pages in ${kind}`, () => {
    const use = (test: (repository: PetRepository, database: Database) => Promise<void>) =>
      withDatabase(makeDatabase, async (database) => {
        const repository = knexPetRepository(database);
        const pets = Array.from({ length: 40 }, () => ({ ...arbitraryNewPet(), name: longName }));
        await success(repository.importAll(sourceOf(pets)));
        await test(repository, database);
      });

    it('are read whole', () =>
      use(async ({ list }) => {
        const { pets, hasMore } = await success(list({ limit: pageSize(30), after: petId(5n) }));
        expect(pets.map(({ id }) => id)).to.deep.equal(
          Array.from({ length: 30 }, (_, place) => 6n + BigInt(place)),
        );
        expect(new Set(pets.map(({ name }) => name))).to.deep.equal(new Set([longName]));
        expect(hasMore).to.equal(true);
      }));

    it('are read one after the other, each owner in turn, and after small pages', () =>
      use(async ({ list, create }) => {
        const { pet } = await success(create(arbitraryNewPet()));
        const answered: Array<string> = [];
        const ask = async (name: string, after: bigint, owner: OwnerId | undefined): Promise<void> => {
          await success(list({ limit: pageSize(30), after: petId(after) }, undefined, owner));
          answered.push(name);
        };
        await Promise.all([
          ...Array.from({ length: 8 }, (_, place) => ask('one', BigInt(place), one)),
          ask('other', 9n, other),
          ask('small', pet.id - 1n, other),
        ]);
        expect(answered).to.have.lengthOf(10);
        expect(answered.slice(0, 3)).to.deep.equal(['small', 'one', 'other']);
      }));

    it('of one owner, with a limit each, let those of another through', () =>
      use(async ({ list }) => {
        const answered: Array<string> = [];
        const ask = async (name: string, limit: number, owner: OwnerId | undefined): Promise<void> => {
          await success(list({ limit: pageSize(limit) }, undefined, owner));
          answered.push(name);
        };
        // Open the connections first, because on a busy machine that takes longer than several pages.
        await Promise.all([1, 2, 3, 4, 30].map((limit) => success(list({ limit: pageSize(limit) }))));
        const limits = Array.from({ length: 25 }, (_, place) => 10 + place);
        await Promise.all([...limits.map((limit) => ask('one', limit, one)), ask('other', 36, other)]);
        expect(answered.indexOf('other')).to.be.below(8);
      }));

    it('are read once for all who ask for the same at once', () =>
      use(async ({ list }) => {
        const [first, second] = await Promise.all(
          [one, other].map((owner) => success(list({ limit: pageSize(30) }, undefined, owner))),
        );
        expect(first === second).to.equal(true);
      }));

    it('fail alone where another program has written a name that is too long', () =>
      use(async ({ list, find }, database) => {
        await insertName(database, 'x'.repeat(65_537));
        await insertName(database, 'x'.repeat(2_000_000));
        await insertName(database, 'Rex');
        const outcomes = await Promise.all([
          ...[40n, 41n, 42n, 43n].map((id) => find(petId(id))()),
          ...[39n, 40n, 41n, 42n].map((after) => list({ limit: pageSize(1), after: petId(after) })()),
          list({ limit: pageSize(100) })(),
        ]);
        expect(outcomes.map(({ _tag }) => _tag)).to.deep.equal([
          ...['Right', 'Left', 'Left', 'Right'],
          // A read returns one animal more than the page has.
          ...['Left', 'Left', 'Left', 'Right'],
          'Left',
        ]);
      }));
  });
}
