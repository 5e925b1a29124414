import { expect } from 'chai';
import * as TE from 'fp-ts/TaskEither';
import { inMemoryPetRepository } from '../../adapters/in-memory';
import { callerOf, storeOpener, type PetRepository, unavailable } from '../../core';
import { arbitraryApiKey, arbitraryIdempotencyKey, arbitraryKeyId, arbitraryNewPet } from '../contracts';
import { success } from '../contracts/outcome';
import { storeOperations } from './store-operations';

const authenticate = () => TE.right(callerOf(arbitraryKeyId()));

/** Makes a repository with the same function for every operation. */
const repositoryWith = (each: (...values: ReadonlyArray<unknown>) => unknown): PetRepository =>
  new Proxy(inMemoryPetRepository(), { get: () => each });

describe('A deadline', () => {
  it('reaches the ports of keys and quotas, and the port of a create with a key', async () => {
    const received: Array<unknown> = [];
    const open = storeOpener({
      pets: {
        ...inMemoryPetRepository(),
        create: (_newPet, { deadline } = {}) => {
          received.push(deadline);
          return TE.left(unavailable('late'));
        },
      },
      authenticate: (_apiKey, deadline) => {
        received.push(deadline);
        return authenticate();
      },
      consumeQuota: (_ownerId, deadline) => {
        received.push(deadline);
        return TE.right({ requests: 2, seconds: 60, isWithin: true, remaining: 1, resetsInSeconds: 60 });
      },
    });
    const now = performance.now();
    const store = await success(open(arbitraryApiKey(), now + 60_000));
    await store.createPet(arbitraryNewPet(), arbitraryIdempotencyKey(), now + 120_000)();
    expect(received).to.deep.equal([now + 60_000, now + 60_000, now + 120_000]);
  });

  for (const [name, { call }] of Object.entries(storeOperations)) {
    it(`reaches the port of ${name}`, async () => {
      const received: Array<unknown> = [];
      const pets = repositoryWith((...values) => {
        received.push(...values.flatMap((value) => (value instanceof Object ? Object.values(value) : value)));
        return TE.left(unavailable('late'));
      });
      const store = await success(storeOpener({ pets, authenticate })(arbitraryApiKey()));
      const deadline = performance.now() + 60_000;
      await call(store, deadline)();
      expect(received).to.include(deadline);
    });
  }
});
