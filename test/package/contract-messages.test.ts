import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../adapters/in-memory';
import { inMemoryQuota } from '../../adapters/rate-limiter';
import {
  ApiKey,
  type Caller,
  callerOf,
  decodeOrThrow,
  IdempotencyKey,
  invalidApiKey,
  KeyId,
  type NewPet,
  OwnerId,
  PageSize,
  Pet,
  PetId,
  PetName,
  type PetRepository,
  passesFilters,
  petNotFound,
  scopedIdempotencyKeyText,
  toPage,
  unavailable,
} from '../../core';
import { sourceOf } from '../contracts/source-of';
import {
  authenticateContract,
  consumeQuotaContract,
  importAllContract,
  petRepositoryContract,
  reopenedRepositoryContract,
  type TestRunner,
  underFailureContract,
} from '../contracts';
import { nextTurn } from '../contracts/next-turn';
import { success, unendedAfter } from '../contracts/outcome';
import { apiKeysUnderTest } from '../support/api-keys-under-test';

type Suite = (runner: TestRunner) => void;

/** Runs a contract suite, and returns the message of each failed test by its title. */
const failuresOf = async (suite: Suite, only = ''): Promise<Readonly<Record<string, string>>> => {
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

/** Runs a suite on the in-memory repository with a mistake in it. */
const withMistake =
  (mistake: (sound: PetRepository) => Partial<PetRepository>, seed?: number): Suite =>
  (runner) => {
    const open = (options: Parameters<typeof inMemoryPetRepository>[0]) => {
      const sound = inMemoryPetRepository(options);
      return Promise.resolve({ repository: { ...sound, ...mistake(sound) }, ...closing });
    };
    const options = seed === undefined ? {} : { seed };
    for (const contract of [petRepositoryContract, importAllContract]) contract(runner, open, options);
  };

const closing = { close: () => Promise.resolve() };

type Mistake = (
  sound: PetRepository,
  isBroken: () => boolean,
  save: (pet: Pet) => void,
) => Partial<PetRepository>;

/**
 * Runs `underFailureContract` on a repository in memory with a mistake. `save` writes an animal to its store. A broken
 * store cannot be closed.
 */
const breakable =
  (mistake: Mistake, failure?: Error): Suite =>
  (runner) => {
    underFailureContract(runner, (pets) => {
      const saved = [...pets];
      const sound = inMemoryPetRepository({ pets });
      let isBroken = false;
      const turn = (to: boolean) => () => {
        isBroken = to;
        return to && failure !== undefined ? Promise.reject(failure) : Promise.resolve();
      };
      const save = (pet: Pet): void => void saved.push(pet);
      return Promise.resolve({
        repository: { ...sound, ...mistake(sound, () => isBroken, save) },
        breakStore: turn(true),
        mendStore: turn(false),
        reopen: () => Promise.resolve(inMemoryPetRepository({ pets: saved })),
        close: () => (isBroken ? Promise.reject(new Error('it is broken')) : Promise.resolve()),
      });
    });
  };

type ApiKeys = ReturnType<typeof inMemoryApiKeys>;

/** Runs the suite of authentication on API keys in memory with a mistake. */
const withMistakenKeys =
  (mistake: (sound: ApiKeys) => Partial<ApiKeys>): Suite =>
  (runner) => {
    authenticateContract(runner, () => {
      const sound = inMemoryApiKeys();
      return Promise.resolve(apiKeysUnderTest({ ...sound, ...mistake(sound) }));
    });
  };

const lower = (key: string): ApiKey => decodeOrThrow(ApiKey, key.toLowerCase());

const failsToClose =
  (repository: Partial<PetRepository> = {}): Suite =>
  (runner) => {
    petRepositoryContract(runner, (options) =>
      Promise.resolve({
        repository: { ...inMemoryPetRepository(options), ...repository },
        close: () => Promise.reject(new Error('the folder is not empty')),
      }),
    );
  };

const roundsWhenReopened: Suite = (runner) => {
  reopenedRepositoryContract(runner, () => {
    const repository = inMemoryPetRepository();
    const reopen = async (): Promise<PetRepository> => {
      const { pets } = await success(repository.list({ limit: decodeOrThrow(PageSize, 100) }));
      const rounded = ({ categoryId }: Pet): number => Number(categoryId) % 2 ** 53;
      return inMemoryPetRepository({
        pets: pets.map((pet) => decodeOrThrow(Pet, { ...pet, categoryId: rounded(pet) })),
      });
    };
    return Promise.resolve({ repository, reopen, ...closing });
  });
};

/** Runs the suites on a repository that changes each idempotency key. */
const withChangedKeys = (change: (key: string) => string): Suite =>
  withMistake(({ create }) => ({
    create: (newPet, key) =>
      create(
        newPet,
        key && { ...key, idempotencyKey: decodeOrThrow(IdempotencyKey, change(key.idempotencyKey)) },
      ),
  }));

const keepsFewKeys = ({ create }: PetRepository): Partial<PetRepository> => {
  const keys = new Set<string>();
  return {
    create: (newPet, key) => {
      if (key !== undefined) keys.add(scopedIdempotencyKeyText(key));
      return create(newPet, keys.size > 100 ? undefined : key);
    },
  };
};

/** Runs the suite of a restart on a repository in memory, which keeps the keys of its animals until it is replaced. */
const whenReopened =
  (mistake: (sound: PetRepository) => Partial<PetRepository>): Suite =>
  (runner) => {
    reopenedRepositoryContract(runner, () => {
      const sound = inMemoryPetRepository();
      const reopen = () => Promise.resolve({ ...sound, ...mistake(sound) });
      return Promise.resolve({ repository: sound, reopen, ...closing });
    });
  };

const cutName = (newPet: NewPet, length: number): NewPet => ({
  ...newPet,
  name: decodeOrThrow(PetName, newPet.name.slice(0, length)),
});

const petsOf = async (source: AsyncIterable<NewPet>): Promise<Array<NewPet>> => {
  const pets: Array<NewPet> = [];
  for await (const newPet of source) pets.push(newPet);
  return pets;
};

async function* cutNames(source: AsyncIterable<NewPet>, length: number): AsyncGenerator<NewPet> {
  for await (const newPet of source) yield cutName(newPet, length);
}

/** Mistakes of adapters, with the suite and the test that must find each, and the message of that test. */
const mistakes: ReadonlyArray<readonly [mistake: string, suite: Suite, test: string, message: RegExp]> = [
  [
    'says that there are more pages after the last one',
    withMistake(({ list }) => ({
      list: (query) =>
        pipe(
          list(query),
          TE.map((page) => (page.pets.length === query.limit ? { ...page, hasMore: true } : page)),
        ),
    })),
    'of any status in pages of any size',
    /^hasMore, of page 24 of 24, by pages of 1: got true, expected false\n/,
  ],
  [
    'imports in reverse, in two lines',
    withMistake(({ importAll }) => ({
      importAll: (source) => async () => importAll(sourceOf((await petsOf(source)).reverse()))(),
    })),
    'in its order',
    /^the animals of the source: of 2500, number 1 is the first that differs: got \{ name: .* \}, expected \{ name: [^\n]*\n[^\n]*$/,
  ],
  [
    'ignores the case of keys',
    withMistakenKeys(({ add, authenticate }) => ({
      add: (id, key, owner) => {
        add(id, lower(key), owner);
      },
      authenticate: (key, deadline) => authenticate(lower(key), deadline),
    })),
    'refuses keys that differ slightly from a valid one, before that one is used',
    /^a near miss was let in: the key with character \d+ of 43 in the other case\n/,
  ],
  [
    'looks keys up in an object, which has a constructor',
    withMistakenKeys(() => {
      const callers: Record<string, Caller> = {};
      return {
        add: (id, key, owner = id) => {
          callers[key] = callerOf(decodeOrThrow(KeyId, id), decodeOrThrow(OwnerId, owner));
        },
        authenticate: (key) => TE.fromEither(E.fromNullable(invalidApiKey('unknown'))(callers[key])),
      };
    }),
    'refuses a key that it never issued',
    /^the key '__proto__': expected InvalidApiKey, but it answered /,
  ],
  [
    'counts one request too few',
    (runner) => {
      consumeQuotaContract(runner, ({ requests, seconds }) =>
        Promise.resolve({ consumeQuota: inMemoryQuota({ requests: requests + 1, seconds }), ...closing }),
      );
    },
    'as many concurrent requests',
    /^how many of 20 are within a limit of 5: got 6, expected 5\n/,
  ],
  [
    'stores half of an import that fails',
    breakable((sound, isBroken) => ({
      importAll: (source) => async () => {
        let count = 0;
        for await (const newPet of source) {
          if (isBroken()) return E.left(unavailable('broken'));
          await sound.create(newPet)();
          count += 1;
        }
        return E.right({ count, firstId: undefined, lastId: undefined });
      },
    })),
    'imports all animals or none, and says which: the store breaks in the middle',
    /^the animals that are stored after Unavailable: of 750 in place of 1500, number 751 /,
  ],
  [
    'changes memory before it saves, so that a retry replays an animal that is not stored',
    breakable((sound, isBroken, save) => ({
      create: (newPet, key) => async () => {
        const created = await sound.create(newPet, key)();
        if (E.isRight(created) && !created.right.replayed) {
          if (isBroken()) return E.left(unavailable('the disk is full'));
          save(created.right.pet);
        }
        return created;
      },
    })),
    'creates an animal that survives a restart, or none: the store breaks before it begins',
    /^the list after a restart: of 1 in place of 11, number 2 is the first that differs: got nothing, /,
  ],
  [
    'sorts ids as doubles',
    (runner) => {
      petRepositoryContract(runner, ({ pets }) => {
        const byDouble = [...pets].sort((one, other) => Number(one.id) - Number(other.id));
        const list: PetRepository['list'] = ({ limit, after, ...filters }) => {
          const follow = byDouble.filter((pet) => after === undefined || pet.id > after);
          const found = follow.filter((pet) => passesFilters(filters, pet));
          return TE.right(toPage(limit, found));
        };
        return Promise.resolve({ repository: { ...inMemoryPetRepository({ pets }), list }, ...closing });
      });
    },
    'finds and lists ids with every digit, over all of int64',
    /^the list: of 13, number 1 .* got \{ id: -9223372036854775807n, .* expected \{ id: -9223372036854775808n, /,
  ],
  [
    'shows an import in part while it is stored',
    withMistake(({ create }) => ({
      importAll: (source) => async () => {
        const all = await petsOf(source);
        for (const [index, newPet] of all.entries()) {
          await create(newPet)();
          if (index % 500 === 0) await nextTurn();
        }
        return E.right({ count: all.length, firstId: undefined, lastId: undefined });
      },
    })),
    'before all are stored',
    /^how many a list showed that were neither none nor all of them: /,
  ],
  [
    'rounds numbers when it is opened again',
    roundsWhenReopened,
    'lists and finds every animal with every digit and letter',
    /^the list: of \d+, number 1 is the first that differs: /,
  ],
  [
    'shows a create without a key that failed, until a restart',
    // Saves all animals in memory at the next create. An earlier create that failed is then stored too.
    breakable((sound, isBroken, save) => {
      const unsaved: Array<Pet> = [];
      return {
        create: (newPet, key) => async () => {
          if (isBroken() && key !== undefined) return E.left(unavailable('the disk is full'));
          const created = await sound.create(newPet, key)();
          if (E.isRight(created) && !created.right.replayed) unsaved.push(created.right.pet);
          if (isBroken()) return E.left(unavailable('the disk is full'));
          unsaved.splice(0).forEach(save);
          return created;
        },
      };
    }),
    'shows no animal of a failed create that a restart loses: the store breaks before it begins',
    /^the animals listed before a restart, after it: of 1 in place of 6, number 2 is the first that differs: got nothing, /,
  ],
  [
    'finds nothing while its store is broken, which cannot close before it works again',
    breakable(({ find }, isBroken) => ({
      find: (id) => (isBroken() ? TE.left(petNotFound(id)) : find(id)),
    })),
    'finds correctly, or is Unavailable, while the store rejects writes',
    /^what is found: got 'PetNotFound', expected \{ [^\n]*\n\(random values [^\n]*$/,
  ],
  [
    'fails to break its store',
    breakable(() => ({}), new Error('the disk is in use')),
    'the store breaks five turns after the source has ended',
    /^the disk is in use\n/,
  ],
  [
    'ignores the cursor of a list of one status',
    withMistake(
      ({ list }) => ({
        list: ({ after, ...query }) => list(query.status === undefined ? { ...query, after } : query),
      }),
      // Without a seed, one catalogue in a hundred has fewer than two animals of a status.
      7,
    ),
    'of available status',
    /^the page of \{ limit: 1, status: 'available', after: \d+n \}: hasMore is true, but the page ends with id \d+, which does not follow \d+\n/,
  ],
  [
    'rejects when a create fails',
    withMistake(() => ({
      create: () => () => Promise.reject(new Error('the disk is full')),
    })),
    'stores equal animals under different ids',
    /^what has to succeed: its promise rejected with Error: the disk is full\. A port never rejects: a failure is a Left, /,
  ],
  [
    'fails some creates while others run',
    withMistake(({ create }) => {
      let count = 0;
      return {
        create: (newPet, key) => async () => {
          count += 1;
          return count % 10 === 0 ? E.left(unavailable('the disk is full')) : create(newPet, key)();
        },
      };
    }),
    'while creates run',
    /^what has to succeed: it failed with \{ _tag: 'Unavailable', cause: .*the disk is full/,
  ],
  [
    'fails to close',
    failsToClose(),
    'stores equal animals under different ids',
    /^the folder is not empty\n/,
  ],
  [
    'finds nothing, and fails to close',
    failsToClose({ find: (id) => TE.left(petNotFound(id)) }),
    'assigns a new id',
    /^what has to succeed: it failed with \{ _tag: 'PetNotFound', .*\n\(after that, closing failed too: Error: the folder is not empty\)\n/,
  ],
  [
    'forgets idempotency keys when it is opened again',
    roundsWhenReopened,
    'replays a create with a key, and refuses another animal under it',
    /^/,
  ],
  [
    'keeps no idempotency key through an import',
    withMistake(({ create, importAll }) => {
      let imports = 0;
      return {
        create: (newPet, key) =>
          create(newPet, key && { ...key, ownerId: decodeOrThrow(OwnerId, `${imports} ${key.ownerId}`) }),
        importAll: (source) => async () => {
          imports += 1;
          return importAll(source)();
        },
      };
    }),
    'replays a create after an import',
    /^a retry: got \{ pet: .*replayed: false \}, expected /,
  ],
  [
    'keeps 100 idempotency keys',
    withMistake(keepsFewKeys),
    'creates 200 animals concurrently, with keys and without',
    /^replayed, of a create that is run again under its key: got false, expected true\n/,
  ],
  [
    'collapses spaces in idempotency keys',
    withChangedKeys((key) => key.replace(/ +/g, ' ')),
    'keeps owners and keys apart',
    /^replayed, of a first create under \{ ownerId: '\w+', idempotencyKey: 'a {2}b' \}: got true, expected false\n/,
  ],
  [
    'replays a create for an animal whose name has other capitals',
    withMistake(({ create }) => {
      const names = new Map<string, PetName>();
      return {
        create: (newPet, key) => {
          const folded = newPet.name.toLowerCase();
          const name = names.get(folded) ?? newPet.name;
          names.set(folded, name);
          return create({ ...newPet, name }, key);
        },
      };
    }),
    'the same name in capitals',
    /^the same name in capitals: expected IdempotencyKeyReused, but it answered /,
  ],
  [
    'cuts imported names to 255 characters',
    withMistake(({ importAll }) => ({ importAll: (source) => importAll(cutNames(source, 255)) })),
    'keeps every digit and every letter',
    /^the list: of \d+, number \d+ is the first that differs: got .*155 more characters.* expected .*32668 more/,
  ],
  [
    'cuts names to 10,000 characters',
    withMistake(({ create }) => ({ create: (newPet, key) => create(cutName(newPet, 10_000), key) })),
    'keeps every byte of a name: 65,536 bytes',
    /^as created: got .*9900 more characters.* expected .*32668 more/,
  ],
  [
    'lists at most 50 animals',
    withMistake(({ list }) => ({
      list: (query) => list({ ...query, limit: decodeOrThrow(PageSize, Math.min(query.limit, 50)) }),
    })),
    'creates 200 animals concurrently',
    /^the page of \{ limit: 100, after: undefined \}: hasMore is true, but the page has 50 animals\n/,
  ],
  [
    'names another id in PetNotFound',
    withMistake(({ find }) => ({
      find: (id) => TE.mapLeft(() => petNotFound(decodeOrThrow(PetId, 7n)))(find(id)),
    })),
    'finds no animal by a neighbouring id',
    /^find\(9007199254740992\): got .*id: 7n.* expected .*id: 9007199254740992n/,
  ],
  [
    'never expires idempotency keys after a restart',
    whenReopened(() => ({})),
    'expires idempotency keys 24 hours after their create',
    /^replayed, of a retry after 24 hours by the clock `now`: got true, expected false\n/,
  ],
  [
    'saves 100 idempotency keys',
    whenReopened(keepsFewKeys),
    'replays each of many creates',
    /^the retries: of 120, number 101 is the first that differs: got \{ pet: .*replayed: false \}, expected /,
  ],
];

describe('The contract suites', () => {
  for (const [mistake, suite, test, message] of mistakes) {
    it(`report an adapter that ${mistake}`, async () => {
      const [first = 'no test failed'] = Object.values(await failuresOf(suite, test));
      expect(first).to.match(message).and.not.equal('no test failed');
      expect(first.length).to.be.lessThan(1_500);
    });
  }

  it('name the calls that do not end at their deadline', async () => {
    const calls = { create: new Promise(() => undefined), find: nextTurn(), list: Promise.resolve() };
    expect(await unendedAfter(50, calls)).to.deep.equal(['create']);
  });

  it('accept reads that are answered at once next to writes that take their time', async () => {
    const isSound = withMistake(({ create }) => ({
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
      withMistake(
        ({ find }) => ({
          find: (id) =>
            pipe(
              find(id),
              TE.map((pet) => ({ ...pet, name: decodeOrThrow(PetName, 'forgotten') })),
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
