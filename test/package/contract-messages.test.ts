import { expect } from 'chai';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { inMemoryPetRepository } from '../../adapters/in-memory';
import { type PetRepository } from '../../core';
import { petMaintenanceContract, petRepositoryContract, type TestRunner } from '../contracts';
import { nextTurn } from '../contracts/next-turn';
import { unendedAfter } from '../contracts/outcome';

type Suite = (runner: TestRunner) => void;

/** Runs a contract suite, and returns the message of each failed test by its title. */
const failuresOf = async (suite: Suite, only: string): Promise<Readonly<Record<string, string>>> => {
  const tests: Array<readonly [string, () => Promise<void>]> = [];
  suite({
    describe: (_title, define) => {
      define();
    },
    it: (title, check) => tests.push([title, check]),
  });
  const failures: Record<string, string> = {};
  for (const [title, check] of tests.filter(([title]) => title.includes(only))) {
    await check().catch((error: unknown) => (failures[title] = error instanceof Error ? error.message : ''));
  }
  return failures;
};

/** Runs the contract suites of the repository on an in-memory repository, some of whose functions `others` replaces. */
const onRepositoryWith =
  (others: (sound: PetRepository) => Partial<PetRepository>, seed?: number): Suite =>
  (runner) => {
    const open = (options: Parameters<typeof inMemoryPetRepository>[0]) => {
      const sound = inMemoryPetRepository(options);
      return Promise.resolve({
        repository: { ...sound, ...others(sound) },
        close: () => Promise.resolve(),
      });
    };
    const options = seed === undefined ? {} : { seed };
    for (const contract of [petRepositoryContract, petMaintenanceContract]) contract(runner, open, options);
  };

describe('The contract suites', () => {
  it('name the calls that do not end at their deadline', async () => {
    const calls = { create: new Promise(() => undefined), find: nextTurn(), list: Promise.resolve() };
    expect(await unendedAfter(50, calls)).to.deep.equal(['create']);
  });

  it('accept reads that are answered at once next to writes that take their time', async () => {
    const isSound = onRepositoryWith(({ create }) => ({
      create: (newPet, key) => async () => {
        await nextTurn();
        return create(newPet, key)();
      },
    }));
    expect(await failuresOf(isSound, 'concurrent')).to.deep.equal({});
    expect(await failuresOf(isSound, 'while creates run')).to.deep.equal({});
  });

  it('name the seed by which the same random values come again', async () => {
    const forgetsNames = (seed?: number) =>
      onRepositoryWith(
        ({ find }) => ({
          find: (id) =>
            pipe(
              find(id),
              TE.map((pet) => ({ ...pet, name: 'forgotten' })),
            ),
        }),
        seed,
      );
    const first = await failuresOf(forgetsNames(), 'assigns a new id');
    const [message = ''] = Object.values(first);
    const seed = /\(random values of seed (\d+): pass \{ seed: \1 \} to have them again\)$/.exec(
      message,
    )?.[1];
    expect(seed, message).to.match(/^\d+$/);
    expect(await failuresOf(forgetsNames(Number(seed)), 'assigns a new id')).to.deep.equal(first);
    expect(await failuresOf(forgetsNames(Number(seed) + 1), 'assigns a new id')).to.not.deep.equal(first);
  });
});
