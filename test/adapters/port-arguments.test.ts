import { expect } from 'chai';
import { knexPetMaintenance, knexPetRepository } from '../../adapters/knex';
import { inMemoryPetRepository } from '../../adapters/in-memory';
import type { NewPet, PetMaintenance, PetRepository } from '../../core';
import { success } from '../contracts/outcome';
import { sourceOf } from '../contracts/source-of';
import { databaseKinds, withDatabase } from '../support/databases/databases';

type Repository = PetRepository & PetMaintenance;

const repositories: ReadonlyArray<
  readonly [name: string, use: (test: (repository: Repository) => Promise<void>) => Promise<void>]
> = [
  ['in memory', (test) => test(inMemoryPetRepository())],
  ...databaseKinds.map(
    ([name, makeDatabase]) =>
      [
        `on ${name}`,
        (test: (repository: Repository) => Promise<void>) =>
          withDatabase(makeDatabase, (database) =>
            test({ ...knexPetRepository(database), ...knexPetMaintenance(database) }),
          ),
      ] as const,
  ),
];

/** Makes an animal as a program in JavaScript may pass it, with a number and a property that animals don't have. */
const written = (categoryId: number): NewPet =>
  Object.assign({ name: 'Rex', categoryId: 0n }, { categoryId, age: 3 });

for (const [name, use] of repositories) {
  describe(`A pet repository ${name} that JavaScript calls`, () => {
    it('takes safe integers for int64 values, also in calls at the same time as others', () =>
      use(async (repository) => {
        const before = { name: 'Mia', categoryId: 1n };
        const pets = await Promise.all(
          [before, written(7)].map((newPet) => success(repository.create(newPet))),
        );
        expect(pets.map(({ pet }) => pet.categoryId)).to.deep.equal([1n, 7n]);
        const [first] = pets;
        const after = Object.assign({ after: 0n }, { after: Number(first?.pet.id) });
        const [all, rest] = await Promise.all([
          success(repository.list({ limit: 5 })),
          success(repository.list({ limit: 5, ...after })),
        ]);
        expect(all.pets).to.have.lengthOf(2);
        expect(rest.pets).to.deep.equal([{ id: pets[1]?.pet.id, name: 'Rex', categoryId: 7n }]);
        expect(await success(repository.list({ limit: 5, categoryId: 7n }))).to.deep.equal(rest);
      }));

    it('takes them in changes and imports too', () =>
      use(async (repository) => {
        const { firstId = 0n } = await success(repository.importAll(sourceOf([written(7)])));
        const imported = { id: firstId, name: 'Rex', categoryId: 7n };
        expect(await success(repository.find(firstId))).to.deep.equal(imported);
        const changes = Object.assign({ categoryId: 0n }, { categoryId: 8 });
        expect(await success(repository.update(firstId, changes))).to.deep.equal({
          ...imported,
          categoryId: 8n,
        });
      }));
  });
}
