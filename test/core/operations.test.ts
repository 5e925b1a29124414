import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../adapters/in-memory';
import {
  type AnimalStore,
  callerOf,
  idempotencyKeyReused,
  invalidApiKey,
  openAnimalStore,
  PageSize,
  petNotFound,
  type PetRepository,
  unavailable,
} from '../../core';
import {
  arbitraryApiKey,
  arbitraryIdempotencyKey,
  arbitraryKeyId,
  arbitraryNewPet,
  arbitraryPet,
} from '../contracts';
import { arbitraryCategoryId, arbitraryPetId } from '../contracts/arbitrary';
import { decoded } from '../contracts/outcome';
import { petId } from '../contracts/pet-repository/seeds';
import { run } from '../support/run';

const limit = decoded(PageSize, 20);

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
  return run(open(one.key));
};

describe('openAnimalStore', () => {
  it('accepts a known key, and returns its caller', async () => {
    const { open, one, other } = makeStore();
    expect((await run(open(one.key))).caller).to.deep.equal(callerOf(one.id));
    expect((await run(open(other.key))).caller).to.deep.equal(callerOf(other.id));
  });

  it('refuses any other key, and does not call the repository', async () => {
    const { open } = makeStore(untouchable);
    expect(await open(arbitraryApiKey())()).to.deep.equal(E.left(invalidApiKey('unknown')));
  });

  it('refuses a revoked key', async () => {
    const { open, keys, one } = makeStore();
    await run(open(one.key));
    keys.revoke(one.id);
    expect(await open(one.key)()).to.deep.equal(E.left(invalidApiKey('revoked', one.id)));
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
    await run(entering);
    await run(entering);
    expect(asked).to.equal(2);
  });
});

describe('listPets', () => {
  it('returns the requested page', async () => {
    const pets = [1n, 2n, 3n].map((id) => ({ ...arbitraryPet(), id: petId(id) }));
    const store = await openFor(inMemoryPetRepository({ pets }));
    const page = await run(store.listPets({ limit: decoded(PageSize, 1), after: petId(1n) }));
    expect(page).to.deep.equal({ pets: [pets[1]], hasMore: true });
  });

  it('returns 20 animals if the query has no limit', async () => {
    const pets = Array.from({ length: 21 }, (_, index) => ({ ...arbitraryPet(), id: petId(BigInt(index)) }));
    const store = await openFor(inMemoryPetRepository({ pets }));
    expect(await run(store.listPets({}))).to.deep.equal({ pets: pets.slice(0, 20), hasMore: true });
    expect((await run(store.listPets({ after: petId(0n) }))).hasMore).to.equal(false);
  });

  it('is Unavailable if the repository is', async () => {
    const failure = unavailable('gone');
    const store = await openFor({ ...untouchable, list: () => TE.left(failure) });
    expect(await store.listPets({ limit })()).to.deep.equal(E.left(failure));
  });
});

describe('getPet', () => {
  it('returns the animal, or PetNotFound with the id', async () => {
    const pet = { ...arbitraryPet(), id: petId(7n) };
    const store = await openFor(inMemoryPetRepository({ pets: [pet] }));
    expect(await run(store.getPet(pet.id))).to.deep.equal(pet);
    expect(await store.getPet(petId(8n))()).to.deep.equal(E.left(petNotFound(petId(8n))));
  });

  it('is Unavailable if the repository is', async () => {
    const failure = unavailable('gone');
    const store = await openFor({ ...untouchable, find: () => TE.left(failure) });
    expect(await store.getPet(arbitraryPetId())()).to.deep.equal(E.left(failure));
  });
});

describe('createPet', () => {
  it('adds an animal, which is then found and listed', async () => {
    const store = await openFor();
    const newPet = arbitraryNewPet();
    const { pet, replayed } = await run(store.createPet(newPet));
    expect({ pet, replayed }).to.deep.equal({ pet: { ...newPet, id: pet.id }, replayed: false });
    expect(await run(store.getPet(pet.id))).to.deep.equal(pet);
    expect((await run(store.listPets({ limit }))).pets).to.deep.equal([pet]);
  });

  it('adds one animal for retries with an idempotency key, and refuses another animal', async () => {
    const store = await openFor();
    const [newPet, key] = [arbitraryNewPet(), arbitraryIdempotencyKey()];
    const { pet } = await run(store.createPet(newPet, key));
    expect(await run(store.createPet(newPet, key))).to.deep.equal({ pet, replayed: true });
    const other = { ...newPet, categoryId: arbitraryCategoryId() };
    expect(await store.createPet(other, key)()).to.deep.equal(E.left(idempotencyKeyReused));
  });

  it('keeps idempotency keys by owner, for all API keys of that owner', async () => {
    const { open, keys, one, other } = makeStore();
    const [newPet, idempotencyKey] = [arbitraryNewPet(), arbitraryIdempotencyKey()];
    const add = async (key: typeof one.key) => run((await run(open(key))).createPet(newPet, idempotencyKey));
    const first = await add(one.key);
    expect((await add(other.key)).replayed).to.equal(false);
    const next = arbitraryApiKey();
    keys.add(arbitraryKeyId(), next, callerOf(one.id).ownerId);
    for (const key of [one.key, next]) {
      expect(await add(key)).to.deep.equal({ pet: first.pet, replayed: true });
    }
  });

  it('is Unavailable if the repository is', async () => {
    const failure = unavailable('gone');
    const store = await openFor({ ...untouchable, create: () => TE.left(failure) });
    expect(await store.createPet(arbitraryNewPet())()).to.deep.equal(E.left(failure));
  });
});
