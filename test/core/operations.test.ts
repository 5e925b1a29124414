import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../adapters/in-memory';
import {
  type AnimalStore,
  callerOf,
  decodeOrThrow,
  invalidApiKey,
  openAnimalStore,
  PageSize,
  type PetRepository,
  toPage,
  unavailable,
} from '../../core';
import {
  arbitraryApiKey,
  arbitraryIdempotencyKey,
  arbitraryKeyId,
  arbitraryNewPet,
  arbitraryPet,
} from '../contracts';
import { petId, petWithId } from '../contracts/pet-repository/seeds';
import { success } from '../contracts/outcome';
import { storeOperations } from './store-operations';

/** Makes a store on in-memory adapters, with API keys of two callers. */
const makeStore = (pets: PetRepository = inMemoryPetRepository()) => {
  const [one, other] = [arbitraryKeyId(), arbitraryKeyId()].map((id) => ({ id, key: arbitraryApiKey() }));
  if (one === undefined || other === undefined) throw new Error('two callers are needed');
  const keys = inMemoryApiKeys([one, other].map(({ id, key }) => [id, key] as const));
  const open = openAnimalStore({ pets, authenticate: keys.authenticate });
  return { open, keys, one, other };
};

/** A repository that fails the test when it is called. */
const untouchable = new Proxy(inMemoryPetRepository(), {
  get: (_repository, name) => () => expect.fail(`${String(name)} was called`),
});

const openFor = async (pets?: PetRepository): Promise<AnimalStore> => {
  const { open, one } = makeStore(pets);
  return success(open(one.key));
};

describe('openAnimalStore', () => {
  it('accepts a known key, and returns its caller', async () => {
    const { open, one, other } = makeStore();
    expect((await success(open(one.key))).caller).to.deep.equal(callerOf(one.id));
    expect((await success(open(other.key))).caller).to.deep.equal(callerOf(other.id));
  });

  it('refuses any other key, and does not call the repository', async () => {
    const { open } = makeStore(untouchable);
    expect(await open(arbitraryApiKey())()).to.deep.equal(E.left(invalidApiKey('unknown')));
  });

  it('is Unavailable if the auth port is, and does not call the repository', async () => {
    const failure = unavailable('no keys today');
    const open = openAnimalStore({ pets: untouchable, authenticate: () => TE.left(failure) });
    expect(await open(arbitraryApiKey())()).to.deep.equal(E.left(failure));
  });

  it('calls the auth port each time the task runs, and not before', async () => {
    let asked = 0;
    const open = openAnimalStore({
      pets: untouchable,
      authenticate: () => () => {
        asked += 1;
        return Promise.resolve(E.right(callerOf(arbitraryKeyId())));
      },
    });
    const entering = open(arbitraryApiKey());
    expect(asked).to.equal(0);
    await success(entering);
    await success(entering);
    expect(asked).to.equal(2);
  });
});

describe('An open store', () => {
  it('lists 20 animals if the query has no limit', async () => {
    const pets = Array.from({ length: 21 }, (_, index) => petWithId(BigInt(index)));
    const store = await openFor(inMemoryPetRepository({ pets }));
    expect(await success(store.listPets({}))).to.deep.equal({ pets: pets.slice(0, 20), hasMore: true });
    expect((await success(store.listPets({ after: petId(0n) }))).hasMore).to.equal(false);
  });

  it('keeps idempotency keys by owner, for all API keys of that owner', async () => {
    const { open, keys, one, other } = makeStore();
    const [newPet, idempotencyKey] = [arbitraryNewPet(), arbitraryIdempotencyKey()];
    const add = async (key: typeof one.key) =>
      success((await success(open(key))).createPet(newPet, idempotencyKey));
    const first = await add(one.key);
    expect((await add(other.key)).replayed).to.equal(false);
    const next = arbitraryApiKey();
    keys.add(arbitraryKeyId(), next, callerOf(one.id).ownerId);
    for (const key of [one.key, next]) {
      expect(await add(key)).to.deep.equal({ pet: first.pet, replayed: true });
    }
  });

  for (const [name, { call }] of Object.entries(storeOperations)) {
    it(`is Unavailable if the repository is: ${name}`, async () => {
      const failure = unavailable('gone');
      const fail = () => TE.left(failure);
      const store = await openFor({ ...untouchable, list: fail, find: fail, create: fail });
      expect(await call(store)()).to.deep.equal(E.left(failure));
    });
  }
});

describe('toPage', () => {
  it('freezes the page and its animals, so that callers can share them', () => {
    const found = Array.from({ length: 3 }, arbitraryPet);
    const page = toPage(decodeOrThrow(PageSize, 2), found);
    const [first] = page.pets;
    for (const shared of [page, page.pets, first ?? page]) {
      expect(Reflect.set(shared, 'name', 'another')).to.equal(false);
      expect(Reflect.set(shared, 'length', 0)).to.equal(false);
    }
    expect(page).to.deep.equal({ pets: found.slice(0, 2), hasMore: true });
  });
});
