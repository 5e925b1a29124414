import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../adapters/in-memory';
import {
  callerOf,
  deletePet,
  invalidApiKey,
  storeOpener,
  petNotFound,
  quotaAfter,
  toPage,
  unavailable,
} from '../../core';
import { arbitraryApiKey, arbitraryKeyId, arbitraryPet } from '../contracts';
import { success } from '../contracts/outcome';

/** A repository that fails the test when it is called. */
const untouchable = new Proxy(inMemoryPetRepository(), {
  get: (_repository, name) => () => expect.fail(`${String(name)} was called`),
});

describe('storeOpener', () => {
  it('accepts a known key, refuses any other, and does not call the repository', async () => {
    const [id, apiKey] = [arbitraryKeyId(), arbitraryApiKey()];
    const open = storeOpener({
      pets: untouchable,
      authenticate: inMemoryApiKeys([[id, apiKey]]).authenticate,
    });
    expect((await success(open(apiKey))).caller).to.deep.equal(callerOf(id));
    expect(await open(arbitraryApiKey())()).to.deep.equal(E.left(invalidApiKey('unknown')));
  });

  it('is Unavailable if the auth port is, and does not call the repository', async () => {
    const failure = unavailable('no keys today');
    const open = storeOpener({ pets: untouchable, authenticate: () => TE.left(failure) });
    expect(await open(arbitraryApiKey())()).to.deep.equal(E.left(failure));
  });

  it('calls the auth port each time the task runs, and not before', async () => {
    let asked = 0;
    const open = storeOpener({
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

describe('A caller that may only read', () => {
  it('lists animals, and adds none', async () => {
    const pets = { ...untouchable, list: inMemoryPetRepository().list };
    const [apiKey, keyId] = [arbitraryApiKey(), arbitraryKeyId()];
    const { authenticate } = inMemoryApiKeys([[keyId, apiKey, 'a page', 'read-only']]);
    const { caller, listPets, createPet } = await success(storeOpener({ pets, authenticate })(apiKey));
    expect(caller).to.include({ keyId, isReadOnly: true });
    expect((await success(listPets())).pets).to.deep.equal([]);
    expect(await createPet({ name: 7 })()).to.deep.equal(E.left({ _tag: 'ReadOnlyApiKey' }));
  });
});

describe('toPage', () => {
  it('freezes the page and its animals, so that callers can share them', () => {
    const found = Array.from({ length: 3 }, arbitraryPet);
    const page = toPage(2, found);
    const [first] = page.pets;
    for (const shared of [page, page.pets, first ?? page]) {
      expect(Reflect.set(shared, 'name', 'another')).to.equal(false);
      expect(Reflect.set(shared, 'length', 0)).to.equal(false);
    }
    expect(page).to.deep.equal({ pets: found.slice(0, 2), hasMore: true });
  });
});

describe('A quota', () => {
  it('is full again after 1 second to the length of its window, also by a clock that jumps', () => {
    const limit = { requests: 1, seconds: 60 };
    const resets = [-5_000, 0, 1, 1_000, 1_001, 60_000, 90_000].map(
      (leftMs) => quotaAfter(limit, 1, leftMs).resetsInSeconds,
    );
    expect(resets).to.deep.equal([1, 1, 1, 1, 2, 60, 60]);
  });
});

describe('deletePet', () => {
  it('fails if another call deletes the animal between the search and the delete', async () => {
    const pet = arbitraryPet();
    const pets = { ...inMemoryPetRepository(), find: () => TE.right(pet), deleteByIds: () => TE.right(0) };
    expect(await deletePet(pets, pet.id)()).to.deep.equal(E.left(petNotFound(pet.id)));
  });
});
