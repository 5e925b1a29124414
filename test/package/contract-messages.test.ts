import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../adapters/in-memory';
import { inMemoryQuota } from '../../adapters/rate-limiter';
import {
  ApiKey,
  type Caller,
  callerOf,
  decodeOrThrow,
  invalidApiKey,
  type NewPet,
  PageSize,
  Pet,
  PetName,
  type PetRepository,
  passesFilters,
  toPage,
  unavailable,
} from '../../core';
import { inTurn } from '../support/databases/catalogue';
import {
  arbitraryApiKey,
  arbitraryKeyId,
  authenticateContract,
  consumeQuotaContract,
  importAllContract,
  petRepositoryContract,
  reopenedRepositoryContract,
  type TestRunner,
  underFailureContract,
} from '../contracts';
import { nextTurn } from '../contracts/next-turn';

/** Runs a contract suite, and gives the message of each test that failed, by its title. */
const failuresOf = async (
  suite: (runner: TestRunner) => void,
  only = '',
): Promise<Readonly<Record<string, string>>> => {
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

/** The in-memory repository with a mistake in it, under the suite. */
const withMistake =
  (mistake: (sound: PetRepository) => Partial<PetRepository>, seed?: number) => (runner: TestRunner) => {
    for (const contract of [petRepositoryContract, importAllContract]) {
      contract(
        runner,
        (options) => {
          const sound = inMemoryPetRepository(options);
          return Promise.resolve({
            repository: { ...sound, ...mistake(sound) },
            close: () => Promise.resolve(),
          });
        },
        seed === undefined ? {} : { seed },
      );
    }
  };

const closing = { close: () => Promise.resolve() };

describe('Who writes an adapter is told by the contract suites', () => {
  it('which page is wrong, and in what', async () => {
    const isPastTheEnd = withMistake(({ list }) => ({
      list: (query) => async () => {
        const page = await list(query)();
        return E.isRight(page) && page.right.pets.length === query.limit
          ? E.right({ ...page.right, hasMore: true })
          : page;
      },
    }));
    const failures = await failuresOf(isPastTheEnd, 'by pages of any size, of any status');
    expect(Object.values(failures).join()).to.match(
      /^hasMore, of page 24 of 24, by pages of 1: got true, expected false\n/,
    );
  });

  it('where a long list differs, in a few lines', async () => {
    const isReversed = withMistake(({ importAll }) => ({
      importAll: (source) => async () => {
        const all: Array<NewPet> = [];
        for await (const newPet of source) all.unshift(newPet);
        return importAll(inTurn(all))();
      },
    }));
    const [message = ''] = Object.values(await failuresOf(isReversed, 'in its order'));
    expect(message).to.match(
      /^the animals of the source: of 2500, number 1 is the first that differs: got \{ name: .* \}, expected \{ name: /,
    );
    expect(message.split('\n')).to.have.lengthOf(2);
    expect(message.length).to.be.lessThan(1_500);
  });

  it('what was expected where a yes or no is wrong', async () => {
    const saysNo = withMistake(({ create }) => ({
      create: (newPet, key) => async () => {
        const made = await create(newPet, key)();
        return E.isRight(made) ? E.right({ ...made.right, replayed: false }) : made;
      },
    }));
    expect(await failuresOf(saysNo, 'with keys and without'))
      .to.have.property('answers rightly 100 that come at once, with keys and without')
      .that.matches(/^replayed, of a creation that is run again under its key: got false, expected true\n/);
  });

  it('which near miss of a key was let in', async () => {
    const isLenient = (runner: TestRunner): void => {
      authenticateContract(runner, () => {
        const { add, authenticate, revoke } = inMemoryApiKeys();
        const lower = (key: ApiKey): ApiKey => decodeOrThrow(ApiKey, key.toLowerCase());
        return Promise.resolve({
          authenticate: (key, deadline) => authenticate(lower(key), deadline),
          issue: (owner) => {
            const [id, key] = [arbitraryKeyId(), arbitraryApiKey()];
            add(id, lower(key), owner);
            return Promise.resolve({ caller: callerOf(id, owner), key });
          },
          revoke: (id) => {
            revoke(id);
            return Promise.resolve();
          },
          ...closing,
        });
      });
    };
    const failures = await failuresOf(isLenient, 'before');
    expect(failures)
      .to.have.property('refuses every near miss before the key itself was seen')
      .that.matches(/^a near miss was let in: the key with character \d+ of 43 in the other case\n/);
  });

  it('that a key is looked up in an object, where each object has a constructor', async () => {
    const isObject = (runner: TestRunner): void => {
      authenticateContract(runner, () => {
        const callers: Record<string, Caller> = {};
        return Promise.resolve({
          authenticate: (key) => () =>
            Promise.resolve(E.fromNullable(invalidApiKey('unknown'))(callers[key])),
          issue: (owner) => {
            const [caller, key] = [callerOf(arbitraryKeyId(), owner), arbitraryApiKey()];
            callers[key] = caller;
            return Promise.resolve({ caller, key });
          },
          revoke: () => Promise.resolve(),
          ...closing,
        });
      });
    };
    expect(await failuresOf(isObject, 'never issued'))
      .to.have.property('refuses a key that it never issued')
      .that.matches(/^the key '__proto__': expected InvalidApiKey, but it answered /);
  });

  it('that a quota counts one too many', async () => {
    const isGenerous = (runner: TestRunner): void => {
      consumeQuotaContract(runner, ({ requests, seconds }) =>
        Promise.resolve({ consumeQuota: inMemoryQuota({ requests: requests + 1, seconds }), ...closing }),
      );
    };
    const failures = await failuresOf(isGenerous, 'a crowd');
    expect(Object.values(failures).join()).to.match(
      /^how many of 20 are within a limit of 5: got 6, expected 5\n/,
    );
  });

  /** A repository over a store that can break, which `save` writes after memory has changed. */
  const breakable =
    (
      mistake: (
        sound: PetRepository,
        isBroken: () => boolean,
        save: (pet: Pet) => void,
      ) => Partial<PetRepository>,
    ) =>
    (runner: TestRunner): void => {
      underFailureContract(runner, (pets) => {
        const saved = [...pets];
        const sound = inMemoryPetRepository({ pets });
        let isBroken = false;
        const turn = (to: boolean) => () => {
          isBroken = to;
          return Promise.resolve();
        };
        const save = (pet: Pet): void => void saved.push(pet);
        return Promise.resolve({
          repository: { ...sound, ...mistake(sound, () => isBroken, save) },
          breakStore: turn(true),
          mendStore: turn(false),
          reopen: () => Promise.resolve(inMemoryPetRepository({ pets: saved })),
          ...closing,
        });
      });
    };

  it('that half of an import is stored after a failure', async () => {
    const isHalf = breakable((sound, isBroken) => ({
      importAll: (source) => async () => {
        let count = 0;
        for await (const newPet of source) {
          if (isBroken()) return E.left(unavailable('broken'));
          await sound.create(newPet)();
          count += 1;
        }
        return E.right(count);
      },
    }));
    expect(
      await failuresOf(isHalf, 'imports all animals or none, and says which: the store breaks in the middle'),
    )
      .to.have.property('imports all animals or none, and says which: the store breaks in the middle')
      .that.matches(/^the animals that are stored after Unavailable: of 750 in place of 1500, number 751 /);
  });

  it('that a create changes memory before it fails to save: its retry replays an animal that is not stored', async () => {
    const savesLast = breakable((sound, isBroken, save) => ({
      create: (newPet, key) => async () => {
        const created = await sound.create(newPet, key)();
        if (E.isRight(created) && !created.right.replayed) {
          if (isBroken()) return E.left(unavailable('the disk is full'));
          save(created.right.pet);
        }
        return created;
      },
    }));
    expect(await failuresOf(savesLast, 'breaks before it begins'))
      .to.have.property(
        'creates an animal that is there after a restart, or none: the store breaks before it begins',
      )
      .that.matches(
        /^the list after a restart: of 1 in place of 11, number 2 is the first that differs: got nothing, /,
      );
  });

  it('that ids are sorted as doubles, which takes neighbours beyond 2^53 for one', async () => {
    const sortsDoubles = (runner: TestRunner): void => {
      petRepositoryContract(runner, ({ pets }) => {
        const byDouble = [...pets].sort((one, other) => Number(one.id) - Number(other.id));
        const list: PetRepository['list'] = ({ limit, after, ...filters }) => {
          const follow = byDouble.filter((pet) => after === undefined || pet.id > after);
          return TE.right(
            toPage(
              limit,
              follow.filter((pet) => passesFilters(filters, pet)),
            ),
          );
        };
        return Promise.resolve({ repository: { ...inMemoryPetRepository({ pets }), list }, ...closing });
      });
    };
    expect(await failuresOf(sortsDoubles, 'ids over all of int64'))
      .to.have.property('finds and lists ids over all of int64 to the digit')
      .that.matches(
        /^the list: of 13, number 1 .* got \{ id: -9223372036854775807n, .* expected \{ id: -9223372036854775808n, /,
      );
  });

  it('that an import shows in part while it is stored', async () => {
    const isOneByOne = withMistake(({ create }) => ({
      importAll: (source) => async () => {
        const all: Array<NewPet> = [];
        for await (const newPet of source) all.push(newPet);
        for (const [index, newPet] of all.entries()) {
          await create(newPet)();
          if (index % 500 === 0) await nextTurn();
        }
        return E.right(all.length);
      },
    }));
    expect(Object.values(await failuresOf(isOneByOne, 'before all are stored')).join()).to.match(
      /^how many a list showed that were neither none nor all of them: /,
    );
  });

  it('that a store gives back less than it took, once it is opened again', async () => {
    const isLossy = (runner: TestRunner): void => {
      reopenedRepositoryContract(runner, () => {
        const repository = inMemoryPetRepository();
        const reopen = async (): Promise<PetRepository> => {
          const page = await repository.list({ limit: decodeOrThrow(PageSize, 100) })();
          const pets = E.isRight(page) ? page.right.pets : [];
          const rounded = ({ categoryId }: Pet): number => Number(categoryId) % 2 ** 53;
          return inMemoryPetRepository({
            pets: pets.map((pet) => decodeOrThrow(Pet, { ...pet, categoryId: rounded(pet) })),
          });
        };
        return Promise.resolve({ repository, reopen, ...closing });
      });
    };
    const failures = await failuresOf(isLossy);
    expect(failures['lists and finds every animal, to the digit and to the letter']).to.match(
      /^the list: of \d+, number 1 is the first that differs: /,
    );
    expect(Object.keys(failures)).to.include(
      'replays what was created under a key, and takes no other animal under it',
    );
  });

  it('nothing where reads are answered at once and writes take their time', async () => {
    const isSound = withMistake(({ create }) => ({
      create: (newPet, key) => async () => {
        await nextTurn();
        return create(newPet, key)();
      },
    }));
    expect(await failuresOf(isSound, 'at once')).to.deep.equal({});
    expect(await failuresOf(isSound, 'while creations run')).to.deep.equal({});
  });

  it('by which seed the same random values come again', async () => {
    const forgetsNames = (seed?: number) =>
      withMistake(
        ({ find }) => ({
          find: (id) => async () => {
            const found = await find(id)();
            return E.isRight(found)
              ? E.right({ ...found.right, name: decodeOrThrow(PetName, 'forgotten') })
              : found;
          },
        }),
        seed,
      );
    const first = await failuresOf(forgetsNames(), 'an id of its own');
    const [message = ''] = Object.values(first);
    const seed = /\(random values of seed (\d+): pass \{ seed: \1 \} to have them again\)$/.exec(
      message,
    )?.[1];
    expect(seed, message).to.match(/^\d+$/);
    expect(await failuresOf(forgetsNames(Number(seed)), 'an id of its own')).to.deep.equal(first);
    expect(await failuresOf(forgetsNames(Number(seed) + 1), 'an id of its own')).to.not.deep.equal(first);
  });
});
