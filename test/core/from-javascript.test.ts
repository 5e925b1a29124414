import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../adapters/in-memory';
import {
  type AnimalStore,
  importAll,
  invalidApiKey,
  type NewPet,
  storeOpener,
  type PetMaintenance,
  type PetRepository,
  unavailable,
} from '../../core';
import { arbitraryApiKey, arbitraryKeyId, arbitraryPet } from '../contracts';
import { nextTurn } from '../contracts/next-turn';
import { success } from '../contracts/outcome';
import { storeOperations } from './store-operations';
import { sourceOf } from '../contracts/source-of';

const isEffect = (value: unknown): value is () => Promise<unknown> => typeof value === 'function';

type Operation = (...values: ReadonlyArray<never>) => unknown;

/** Calls an operation with values that the compiler has not checked. */
const call = async (operation: Operation, ...values: ReadonlyArray<unknown>): Promise<unknown> => {
  const effect: unknown = Reflect.apply(operation, undefined, values);
  return isEffect(effect) ? effect() : expect.fail('no operation');
};

const operationsOf = ({
  caller: _caller,
  checkKey: _checkKey,
  quota: _quota,
  ...operations
}: AnimalStore): Readonly<Record<string, Operation>> => operations;

const openStore = async (
  pets: PetRepository & PetMaintenance = inMemoryPetRepository({ pets: [{ ...arbitraryPet(), id: 1n }] }),
) => {
  const [id, key] = [arbitraryKeyId(), arbitraryApiKey()];
  const open = storeOpener({ pets, authenticate: inMemoryApiKeys([[id, key]]).authenticate });
  return { open, pets, store: await success(open(key)) };
};

describe('A caller that no compiler checks', () => {
  it('creates an animal from plain values: a category in a number is stored as a bigint', async () => {
    const { store, pets } = await openStore();
    const created = await call(store.createPet, { name: 'Rex', categoryId: 5, status: undefined, age: 3 });
    const pet = { id: 2n, name: 'Rex', categoryId: 5n };
    expect(created).to.deep.equal(E.right({ pet, replayed: false, unknownFields: ['age'] }));
    expect(await success(pets.find(2n))).to.deep.equal(pet);
  });

  for (const [name, { refused, failure }] of Object.entries(storeOperations)) {
    it(`gets ${failure} for invalid input of ${name}, and nothing is stored`, async () => {
      const { store, pets } = await openStore();
      const operation = operationsOf(store)[name] ?? expect.fail(`there is no ${name}`);
      expect(await call(operation, ...refused)).to.have.nested.property('left._tag', failure);
      expect(await pets.find(2n)()).to.have.property('_tag', 'Left');
    });
  }

  it('reads an animal by a safe integer, and gets PetNotFound for other values that are no int64', async () => {
    const { store } = await openStore();
    const { getPet = expect.fail('there is no getPet') } = operationsOf(store);
    expect(await call(getPet, 1)).to.have.nested.property('right.id', 1n);
    for (const id of [1.5, NaN, '1', null, undefined, {}, 2n ** 64n + 1n])
      expect(await call(getPet, id)).to.have.nested.property('left._tag', 'PetNotFound');
  });

  it('gets InvalidIdempotencyKey for a key that is too long, also with an invalid animal, as over HTTP', async () => {
    const { store, pets } = await openStore();
    for (const newPet of [{ name: 'Rex', categoryId: 5n }, { name: 'Rex' }]) {
      const created = await store.createPet(newPet, 'k'.repeat(256))();
      expect(created).to.deep.equal(E.left({ _tag: 'InvalidIdempotencyKey' }));
    }
    expect(await pets.find(2n)()).to.have.property('_tag', 'Left');
  });

  it('imports all plain values or none', async () => {
    const { pets } = await openStore();
    const rex = { name: 'Rex', categoryId: 5 };
    const failed = await call(importAll, pets, [rex, { ...rex, categoryId: '5' }], { onInvalid: undefined });
    expect(failed).to.have.nested.property('left._tag', 'InvalidNewPet');
    expect(failed).to.have.nested.property('left.fields[0].name', 'categoryId');
    expect(await pets.find(2n)()).to.have.property('_tag', 'Left');
    const imported = { count: 1, firstId: 2n, lastId: 2n };
    expect(await call(importAll, pets, sourceOf([rex]))).to.deep.equal(E.right(imported));
    expect(await success(pets.find(2n))).to.have.property('categoryId', 5n);
  });

  it('may reuse one object for many animals: a slow store gets each as it was', async () => {
    const taken: Array<NewPet> = [];
    const { store, pets } = await openStore({
      ...inMemoryPetRepository(),
      create: (newPet) => async () => {
        await nextTurn();
        taken.push(newPet);
        return E.left(unavailable('it only looks'));
      },
      importAll: (newPets) => async () => {
        for await (const newPet of newPets) taken.push(newPet);
        return E.right({ count: taken.length, firstId: undefined, lastId: undefined });
      },
    });
    const row = { name: '', categoryId: 5n, age: 3 };
    const names = ['Rex', 'Tom', 'Ada'];
    const asTaken = names.map((name) => ({ name, categoryId: 5n }));

    const creations = names.map((name) => call(store.createPet, Object.assign(row, { name })));
    row.name = 'no name \0';
    await Promise.all(creations);
    expect(taken.splice(0)).to.deep.equal(asTaken);

    async function* rows() {
      for (const name of names) yield Promise.resolve(Object.assign(row, { name }));
    }
    await call(importAll, pets, rows());
    expect(taken).to.deep.equal(asTaken);
  });

  it('cannot open a store with a value that is not a key', async () => {
    const { open } = await openStore();
    for (const key of ['', 'not a key', undefined, null, 7, {}]) {
      expect(await call(open, key)).to.deep.equal(E.left(invalidApiKey('malformed')));
    }
  });
});
