import { type ImportedPets, type NewPet, type Pet } from '../../../core';
import { arbitraryNewPet, arbitraryPet, arbitraryScopedIdempotencyKey } from '../arbitrary';
import { expectEqual } from '../expect-equal';
import { nextTurn } from '../next-turn';
import { allEnded, atOnce, expectFailure, success } from '../outcome';
import { sourceOf } from '../source-of';
import type { TestRunner } from '../test-runner';
import type { MaintainedRepository, UseRepository } from './open-pet-repository';
import { expectAlike, makeNewPet } from './filterings';
import { longestName } from './keeps-every-letter';
import { allPets } from './pages-of';
import { contentOf, contentText, largestId, petWithId } from './seeds';

/** Number of animals that every adapter must divide into several batches. */
const many = 2_500;

const manyPets = (): ReadonlyArray<NewPet> => Array.from({ length: many }, arbitraryNewPet);

const contentsOf = (pets: ReadonlyArray<Pet>): ReadonlyArray<NewPet> => pets.map(contentOf);

/** Expects that an import returned the number of its animals, and their first and last id. */
const expectImported = (imported: ImportedPets, pets: ReadonlyArray<Pet>): void => {
  expectEqual('the number of animals added', imported.count, pets.length);
  expectEqual('the first of their ids', imported.firstId, pets[0]?.id);
  expectEqual('the last of their ids', imported.lastId, pets.at(-1)?.id);
};

/** Defines the tests of `importAll`: all animals of a source are added, or none of them. */
export const imports = ({ it }: TestRunner, use: UseRepository<MaintainedRepository>): void => {
  it('adds all animals of a source after the existing ones, in its order', () =>
    use({ pets: [petWithId(3n), petWithId(41n)] }, async (repository) => {
      const there = await allPets(repository);
      const newPets = manyPets();
      const imported = await success(repository.importAll(sourceOf(newPets)));
      const pets = await allPets(repository);
      expectImported(imported, pets.slice(there.length));
      expectEqual('the animals that were there', pets.slice(0, there.length), there);
      expectEqual('the animals of the source', contentsOf(pets.slice(there.length)), newPets);
    }));

  it('reports each new id before it stores the animals, and adds nothing if the report fails', () =>
    use({ pets: [petWithId(3n)] }, async (repository) => {
      const reported: Array<bigint> = [];
      const onIds = (ids: ReadonlyArray<bigint>): Promise<void> => {
        reported.push(...ids);
        return Promise.resolve();
      };
      await success(repository.importAll(sourceOf(manyPets()), onIds));
      const pets = await allPets(repository);
      expectEqual(
        'the reported ids',
        reported,
        pets.slice(1).map(({ id }) => id),
      );
      const failing = () => Promise.reject(new Error('the report failed'));
      await expectFailure('importAll', repository.importAll(sourceOf(manyPets()), failing), 'ImportAborted');
      expectEqual('the list then', await allPets(repository), pets);
    }));

  it('adds equal animals under different ids', () =>
    use({}, async (repository) => {
      const alike = Array.from({ length: 500 }, () => ({ ...petWithId(7n), id: largestId }));
      const imported = await success(repository.importAll(sourceOf(alike)));
      const pets = await allPets(repository);
      expectImported(imported, pets);
      expectEqual('their ids, each counted once', new Set(pets.map(({ id }) => id)).size, 500);
      expectEqual('the list', contentsOf(pets), contentsOf(alike));
    }));

  it('keeps every digit and every letter', () =>
    use({}, async (repository) => {
      const digits = [2n ** 63n - 1n, -(2n ** 63n), 9007199254740993n, 0n];
      const names = [
        '',
        'e\u0301',
        '"\\\n\r\t',
        '\ufeff',
        '🐢',
        "'); drop table pets; --",
        '?',
        '$1',
        longestName,
      ];
      const newPets = digits.flatMap((digit) => names.map((name) => ({ name: name, categoryId: digit })));
      const imported = await success(repository.importAll(sourceOf(newPets)));
      const pets = await allPets(repository);
      expectImported(imported, pets);
      expectEqual('the list', contentsOf(pets), newPets);
    }));

  it('replays a create after an import', () =>
    use({}, async (repository) => {
      const [idempotency, newPet] = [arbitraryScopedIdempotencyKey(), arbitraryNewPet()];
      const { pet } = await success(repository.create(newPet, { idempotency }));
      await success(repository.importAll(sourceOf([arbitraryNewPet()])));
      expectEqual('a retry', await success(repository.create(newPet, { idempotency })), {
        pet,
        replayed: true,
      });
    }));

  it('adds nothing from an empty source', () =>
    use({}, async (repository) => {
      expectImported(await success(repository.importAll(sourceOf([]))), []);
      expectEqual('the list', await allPets(repository), []);
    }));

  for (const failing of [0, 1, many - 1]) {
    it(`adds nothing if the source throws instead of animal ${failing + 1}, and goes on working`, () =>
      use({ pets: [petWithId(5n)] }, async (repository) => {
        const there = await allPets(repository);
        const cause = new Error('the source is broken');
        const source = sourceOf(manyPets(), (index) => {
          if (index === failing) throw cause;
        });
        const outcome = await repository.importAll(source)();
        expectEqual('what importAll answers with', outcome, {
          _tag: 'Left',
          left: { _tag: 'ImportAborted', cause },
        });
        expectEqual('the list after it', await allPets(repository), there);

        const { pet } = await success(repository.create(arbitraryNewPet()));
        const next = await success(repository.importAll(sourceOf([arbitraryPet()])), 'the next importAll');
        const pets = await allPets(repository);
        expectImported(next, pets.slice(2));
        expectEqual('the list then', pets.slice(0, 2), [...there, pet]);
      }));
  }

  it('adds nothing if too few ids are left', () =>
    use({ pets: [petWithId(largestId - 2n)] }, async (repository) => {
      const there = await allPets(repository);
      const newPets = Array.from({ length: 3 }, arbitraryNewPet);
      await expectFailure('importAll', repository.importAll(sourceOf(newPets)), 'ImportAborted');
      expectEqual('the list after it', await allPets(repository), there);
    }));

  it('stores nothing if an animal of the source is invalid', () =>
    use({ pets: [petWithId(3n)] }, async (repository) => {
      const before = await allPets(repository);
      for (const invalid of [{ categoryId: largestId + 1n }, { name: 'U+0000: \0' }]) {
        const newPets = [arbitraryNewPet(), { ...arbitraryNewPet(), ...invalid }];
        await expectFailure('importAll', repository.importAll(sourceOf(newPets)), 'ImportAborted');
      }
      expectEqual('the list', await allPets(repository), before);
    }));

  it('shows no imported animal before all are stored', () =>
    use({ pets: [petWithId(5n)] }, async (repository) => {
      const there = await allPets(repository);
      const seen: Array<ReadonlyArray<Pet>> = [];
      const source = sourceOf(manyPets(), async (index) => {
        if (index % 499 === 0) seen.push(await allPets(repository));
      });
      const lengths = new Set<number>();
      const running = { importAll: true };
      const readOn = async (): Promise<void> => {
        while (running.importAll) {
          lengths.add((await allPets(repository)).length);
          await nextTurn();
        }
      };
      const [added] = await allEnded([
        success(repository.importAll(source)).finally(() => {
          running.importAll = false;
        }),
        readOn(),
      ]);
      expectEqual('the number of animals added', added.count, many);
      for (const listed of seen) expectEqual('the list while animals are added', listed, there);
      const partial = [...lengths].filter(
        (length) => length !== there.length && length !== there.length + many,
      );
      expectEqual('how many a list showed that were neither none nor all of them', partial, []);
      expectEqual('how many are listed then', (await allPets(repository)).length, there.length + many);
    }));

  it('does not read the source before the task runs', () =>
    use({}, async (repository) => {
      let asked = 0;
      const source = sourceOf([arbitraryNewPet()], () => void (asked += 1));
      const creation = repository.importAll(source);
      expectEqual('the list, before importAll is run', await allPets(repository), []);
      expectEqual('how many animals the source was asked for before that', asked, 0);
      expectEqual('the number of animals added', (await success(creation)).count, 1);
    }));

  it('imports all or nothing during other creates and imports', () =>
    use({}, async (repository) => {
      const imports = Array.from({ length: 3 }, () => Array.from({ length: 450 }, arbitraryNewPet));
      const singles = Array.from({ length: 20 }, arbitraryNewPet);
      const [all, each] = await Promise.all([
        atOnce(imports.map((newPets) => repository.importAll(sourceOf(newPets)))),
        atOnce(singles.map((newPet) => repository.create(newPet))),
      ]);
      const stored = [
        ...imports.filter((_, index) => all[index]?._tag === 'Right').flat(),
        ...singles.filter((_, index) => each[index]?._tag === 'Right'),
      ];
      expectEqual(
        'the list, sorted, beside the animals of what was answered with success',
        (await allPets(repository)).map(contentText).sort(),
        stored.map(contentText).sort(),
      );
      expectEqual(
        'whether one importAll at least succeeded',
        all.some(({ _tag }) => _tag === 'Right'),
        true,
      );
    }));

  it('finds and lists the same animals: stored before, created and imported', () =>
    use(
      { pets: Array.from({ length: 8 }, (_, index) => petWithId(BigInt(index + 1) * 10n, makeNewPet())) },
      async (repository) => {
        for (let count = 0; count < 8; count += 1) await success(repository.create(makeNewPet()));
        await success(repository.importAll(sourceOf(Array.from({ length: 8 }, makeNewPet))));
        for (let count = 0; count < 8; count += 1) await success(repository.create(makeNewPet()));
        expectEqual('how many are listed', (await expectAlike(repository)).length, 32);
      },
    ));
};
