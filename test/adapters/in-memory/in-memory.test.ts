import { expect } from 'chai';
import { buildSync } from 'esbuild';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../adapters/in-memory';
import { callerOf, decodeOrThrow, PetCodec } from '../../../core';
import {
  arbitraryApiKey,
  arbitraryKeyId,
  arbitraryNewPet,
  arbitraryScopedIdempotencyKey,
  authenticateContract,
  idempotencyExpiryContract,
  petMaintenanceContract,
  petRepositoryContract,
} from '../../contracts';
import { petWithId } from '../../contracts/pet-repository/seeds';
import { success } from '../../contracts/outcome';
import { projectFolder } from '../../support/processes/command';

setFlagsFromString('--expose_gc');

const usedHeapBytes = (): number => {
  runInNewContext('gc()');
  return process.memoryUsage().heapUsed;
};

describe('the in-memory pet repository', () => {
  for (const contract of [petRepositoryContract, petMaintenanceContract, idempotencyExpiryContract]) {
    contract({ describe, it }, (options) =>
      Promise.resolve({ repository: inMemoryPetRepository(options), close: () => Promise.resolve() }),
    );
  }

  it('assigns ids from 1 if all initial ids are negative', async () => {
    const { create } = inMemoryPetRepository({ pets: [petWithId(-9n), petWithId(-2n)] });
    expect((await success(create(arbitraryNewPet()))).pet.id).to.equal(1n);
    expect((await success(create(arbitraryNewPet()))).pet.id).to.equal(2n);
  });

  it('keeps its animals unchanged when callers change an answer or an initial animal', async () => {
    const seed = { ...petWithId(1n), label: 'of a test' };
    const { find, create } = inMemoryPetRepository({ pets: [seed] });
    const { id } = seed;
    const expected = decodeOrThrow(PetCodec, seed);
    const { pet } = await success(create(arbitraryNewPet()));
    const asCreated = { ...pet };
    for (const answer of [seed, pet, await success(find(id))]) Reflect.set(answer, 'name', 'another');
    expect(await success(find(id))).to.deep.equal(expected);
    expect(await success(find(pet.id))).to.deep.equal(asCreated);
  });

  it('forgets expired idempotency keys', async () => {
    const clock = { time: 0 };
    const { create, deleteByIds } = inMemoryPetRepository({ now: () => clock.time, idempotencyTtlMs: 1 });
    const createOnce = async (): Promise<void> => {
      const { pet } = await success(
        create(arbitraryNewPet(), { idempotency: arbitraryScopedIdempotencyKey() }),
      );
      await success(deleteByIds([pet.id]));
      clock.time += 1;
    };
    await createOnce();
    const before = usedHeapBytes();
    for (let count = 0; count < 20_000; count += 1) await createOnce();
    expect(usedHeapBytes() - before).to.be.below(2_000_000);
  });

  it('accepts plain values as initial animals, and rejects invalid ones', async () => {
    const open = (pet: object) => {
      const options: object = { pets: [pet] };
      return inMemoryPetRepository(options);
    };
    const { create } = open({ id: 7, name: 'Rex', categoryId: 5 });
    expect((await success(create(arbitraryNewPet()))).pet.id).to.equal(8n);
    expect(() => open({ id: '7', name: 'Rex', categoryId: 5 })).to.throw(TypeError, 'id must be an integer');
    const twice = [petWithId(1n), petWithId(1n)];
    expect(() => inMemoryPetRepository({ pets: twice })).to.throw(TypeError, 'two animals have the id 1');
  });
});

describe('the in-memory API keys', () => {
  authenticateContract({ describe, it }, () => {
    const { add, authenticate, revoke } = inMemoryApiKeys();
    return Promise.resolve({
      authenticate,
      issue: (owner) => {
        const [id, key] = [arbitraryKeyId(), arbitraryApiKey()];
        add(id, key, owner);
        return Promise.resolve({ caller: callerOf(id, owner), key });
      },
      revoke: (id) => {
        revoke(id);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    });
  });
});

describe('The in-memory API keys', () => {
  it('revoke each key that was added with an id', async () => {
    const keys = [arbitraryApiKey(), arbitraryApiKey()];
    const id = arbitraryKeyId();
    const { authenticate, revoke } = inMemoryApiKeys(keys.map((key) => [id, key]));
    revoke(id);
    for (const key of keys)
      expect(await authenticate(key)()).to.have.nested.property('left.reason', 'revoked');
  });
});

describe('The in-memory adapters', () => {
  it('can be bundled for a browser', () => {
    const entryPoints = [join(projectFolder, 'adapters/in-memory/index.ts')];
    const { errors } = buildSync({ entryPoints, platform: 'browser', bundle: true, write: false });
    expect(errors).to.deep.equal([]);
  });
});
