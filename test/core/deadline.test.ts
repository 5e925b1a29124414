import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { inMemoryPetRepository } from '../../adapters/in-memory';
import {
  callerOf,
  type Deadline,
  endAtDeadline,
  openAnimalStore,
  type PetRepository,
  unavailable,
} from '../../core';
import { arbitraryApiKey, arbitraryIdempotencyKey, arbitraryKeyId, arbitraryNewPet } from '../contracts';
import { success } from '../contracts/outcome';
import { storeOperations } from './store-operations';

const never = () => new Promise<never>(() => undefined);

const soon = (): Deadline => performance.now() + 20;

const authenticate = () => TE.right(callerOf(arbitraryKeyId()));

/** Makes a repository with the same function for every operation. */
const repositoryWith = (each: (...values: ReadonlyArray<unknown>) => unknown): PetRepository =>
  new Proxy(inMemoryPetRepository(), { get: () => each });

const failureOf = async (task: TE.TaskEither<unknown, unknown>): Promise<unknown> => {
  const outcome = await task();
  return E.isLeft(outcome) ? outcome.left : expect.fail('the call succeeded');
};

const timersOf = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('A deadline', () => {
  it('reaches the auth port, and the port of a create with a key', async () => {
    const received: Array<unknown> = [];
    const open = openAnimalStore({
      pets: repositoryWith((...values) => {
        received.push(values.at(-1));
        return TE.left(unavailable('late'));
      }),
      authenticate: (_apiKey, deadline) => {
        received.push(deadline);
        return authenticate();
      },
    });
    const now = performance.now();
    const store = await success(open(arbitraryApiKey(), now + 60_000));
    await store.createPet(arbitraryNewPet(), arbitraryIdempotencyKey(), now + 120_000)();
    expect(received).to.deep.equal([now + 60_000, now + 120_000]);
  });

  for (const [name, { call }] of Object.entries(storeOperations)) {
    it(`reaches the port of ${name}`, async () => {
      const received: Array<unknown> = [];
      const pets = repositoryWith((...values) => {
        received.push(...values);
        return TE.left(unavailable('late'));
      });
      const store = await success(openAnimalStore({ pets, authenticate })(arbitraryApiKey()));
      const deadline = performance.now() + 60_000;
      await call(store, deadline)();
      expect(received).to.include(deadline);
    });

    it(`ends ${name} as Unavailable if the adapter ignores it`, async () => {
      const pets = repositoryWith(() => never);
      const store = await success(openAnimalStore({ pets, authenticate })(arbitraryApiKey()));
      expect(await failureOf(call(store, soon()))).to.have.property('_tag', 'Unavailable');
    });
  }

  it('ends the opening of a store if the auth port ignores it', async () => {
    const open = openAnimalStore({ pets: inMemoryPetRepository(), authenticate: () => never });
    expect(await failureOf(open(arbitraryApiKey(), soon()))).to.have.property('_tag', 'Unavailable');
  });

  it('runs no call once it has passed', async () => {
    let calls = 0;
    const call = endAtDeadline(() => {
      calls += 1;
      return Promise.resolve(E.right(1));
    }, performance.now() - 1);
    expect(await failureOf(call)).to.have.property('_tag', 'Unavailable');
    expect(calls).to.equal(0);
  });

  it('changes no outcome of a call in time, and leaves no timer', async () => {
    // Mocha starts its own timer only after the test has returned its promise.
    await Promise.resolve();
    const timers = timersOf();
    const later = performance.now() + 60_000;
    expect(await endAtDeadline(TE.right(1), later)()).to.deep.equal(E.right(1));
    expect(await endAtDeadline(TE.left('no'), later)()).to.deep.equal(E.left('no'));
    const rejected = endAtDeadline(() => Promise.reject(new TypeError('a defect')), later)();
    expect(await rejected.catch(String)).to.equal('TypeError: a defect');
    expect(timersOf()).to.equal(timers);
  });

  it('has no effect if it is later than a timer can wait', async () => {
    for (const deadline of [Infinity, performance.now() + 2 ** 31, undefined]) {
      const call = endAtDeadline(
        () => new Promise<E.Either<never, number>>((resolve) => setTimeout(resolve, 5, E.right(1))),
        deadline,
      );
      expect(await call()).to.deep.equal(E.right(1));
    }
  });
});
