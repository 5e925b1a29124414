import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { inMemoryPetRepository } from '../../adapters/in-memory';
import {
  type AnimalStoreClient,
  AnimalStoreError,
  type CreateOptions,
  type ListOptions,
  type PetRepository,
  type ScopedIdempotencyKey,
  unavailable,
} from '../../core';
import { petWithId } from '../contracts/pet-repository/seeds';

/** Opens a client of a store over this repository, with a valid API key unless another one is given. */
export type OpenClient = (
  repository: PetRepository,
  apiKey?: string,
) => Promise<{ readonly client: AnimalStoreClient; readonly close: () => Promise<void> }>;

const errorOf = (call: Promise<unknown>): Promise<AnimalStoreError> =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => (error instanceof AnimalStoreError ? error : expect.fail(String(error))),
  );

const all = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = [];
  for await (const item of items) found.push(item);
  return found;
};

/** Makes a repository whose calls fail a number of times before they succeed. */
const failing = (failures: number, sound = inMemoryPetRepository()) => {
  const keys: Array<ScopedIdempotencyKey | undefined> = [];
  let calls = 0;
  const orFail =
    <A>(task: () => Promise<A>) =>
    async () => {
      calls += 1;
      return calls <= failures ? E.left(unavailable('the disk is full')) : task();
    };
  const pets: PetRepository = {
    ...sound,
    list: (query) => orFail(sound.list(query)),
    find: (id) => orFail(sound.find(id)),
    create: (newPet, key) => {
      keys.push(key);
      return orFail(sound.create(newPet, key));
    },
  };
  return { pets, keys, calls: () => calls };
};

const never = () => new Promise<never>(() => undefined);

/** Makes the compiler accept options that only JavaScript callers can pass. */
const isOptions = (_value: unknown): _value is ListOptions => true;

const rex = { name: 'Rex', categoryId: 7 };

/** Defines the tests of an AnimalStoreClient, embedded or remote. */
export const clientSuite = (open: OpenClient): void => {
  const use = async (
    repository: PetRepository,
    test: (client: AnimalStoreClient) => Promise<void>,
    apiKey?: string,
  ): Promise<void> => {
    const { client, close } = await open(repository, apiKey);
    try {
      await test(client);
    } finally {
      await close();
    }
  };

  it('creates, gets and lists animals, with every digit', () =>
    use(inMemoryPetRepository(), async (client) => {
      const tom = await client.create({ name: 'Tom', categoryId: 9007199254740993n, status: 'sold' });
      expect(tom).to.deep.equal({ id: 1n, name: 'Tom', categoryId: 9007199254740993n, status: 'sold' });
      const created = await client.create(rex);
      expect(created).to.deep.equal({ id: 2n, name: 'Rex', categoryId: 7n });
      expect(await client.get(1)).to.deep.equal(tom);
      expect(await client.get(2n)).to.deep.equal(created);
      expect(await errorOf(client.get(3n))).to.include({ code: 'pet_not_found', attempts: 1 });
      expect(await all(client.list())).to.deep.equal([tom, created]);
      expect(await all(client.list({ status: 'sold' }))).to.deep.equal([tom]);
      expect(await all(client.list({ after: 1 }))).to.deep.equal([created]);
    }));

  it('lists page by page, and animal by animal', () => {
    const pets = Array.from({ length: 250 }, (_, index) => petWithId(BigInt(index + 1)));
    return use(inMemoryPetRepository({ pets }), async (client) => {
      expect(await all(client.list())).to.deep.equal(pets);
      const pages = await all(client.list().byPage());
      expect(pages.map(({ length }) => length)).to.deep.equal([100, 100, 50]);
      const smaller = await all(client.list({ pageSize: 25 }).byPage());
      expect(smaller.map(({ length }) => length)).to.deep.equal(Array<number>(10).fill(25));
      const sold = pets.filter(({ status, id }) => status === 'sold' && id > 9n);
      expect(await all(client.list({ status: 'sold', after: 9n, pageSize: 7 }))).to.deep.equal(sold);
    });
  });

  it('reads no further than the iteration, and starts again each time', () => {
    const sound = inMemoryPetRepository({ pets: [1n, 2n, 3n, 4n].map((id) => petWithId(id)) });
    const { pets, calls } = failing(0, sound);
    return use(pets, async (client) => {
      const list = client.list({ pageSize: 1 });
      expect(calls()).to.equal(0);
      for (let walk = 1; walk <= 2; walk += 1) {
        for await (const { id } of list) if (id === 2n) break;
        expect(calls()).to.equal(2 * walk);
      }
    });
  });

  it('retries a create while the store is unavailable, with one key of its own', () => {
    const { pets, keys } = failing(2);
    return use(pets, async (client) => {
      expect(await client.create(rex)).to.deep.equal({ id: 1n, name: 'Rex', categoryId: 7n });
      await client.create(rex);
      const texts = keys.map((key) => key?.idempotencyKey);
      expect(texts).to.have.lengthOf(4);
      expect(texts.slice(0, 3)).to.deep.equal([texts[0], texts[0], texts[0]]);
      expect(texts[0])
        .to.match(/^[0-9a-f]{32}$/)
        .and.not.to.equal(texts[3]);
    });
  });

  it('retries reads', () => {
    const { pets, calls } = failing(1, inMemoryPetRepository({ pets: [petWithId(1n)] }));
    return use(pets, async (client) => {
      expect(await all(client.list())).to.have.lengthOf(1);
      expect(calls()).to.equal(2);
    });
  });

  it('fails after its time budget, and reports the number of attempts', () => {
    const { pets, calls } = failing(Infinity);
    return use(pets, async (client) => {
      const once = await errorOf(client.create(rex, { retryForMs: 0, idempotencyKey: 'order-17' }));
      expect(once).to.include({ code: 'unavailable', attempts: 1, idempotencyKey: 'order-17' });
      expect(once.message).not.to.include('disk');
      const began = performance.now();
      const later = await errorOf(client.get(1n, { retryForMs: 1_500 }));
      expect(later.code).to.equal('unavailable');
      expect(later.attempts).to.equal(calls() - 1);
      expect(performance.now() - began).to.be.below(1_900);
    });
  });

  it('accepts an idempotency key: the same create adds one animal, and a different one fails', () =>
    use(inMemoryPetRepository(), async (client) => {
      const options: CreateOptions = { idempotencyKey: 'say "hi", \\ you' };
      const { id } = await client.create(rex, options);
      expect((await client.create(rex, options)).id).to.equal(id);
      const error = await errorOf(client.create({ ...rex, name: 'Tom' }, options));
      expect(error).to.include({ code: 'idempotency_key_reused', idempotencyKey: options.idempotencyKey });
      expect(await all(client.list())).to.have.lengthOf(1);
    }));

  it('ends an attempt that hangs', () => {
    return use({ ...inMemoryPetRepository(), list: () => never, create: () => never }, async (client) => {
      const limits = { timeoutMs: 100, retryForMs: 0 };
      expect(await errorOf(client.create(rex, limits))).to.include({ code: 'timeout', attempts: 1 });
      expect((await errorOf(all(client.list(limits)))).code).to.equal('timeout');
      const retried = await errorOf(client.create(rex, { timeoutMs: 50, retryForMs: 1_000 }));
      expect(retried.attempts).to.be.above(1);
    });
  });

  it('ends a call whose signal is aborted before it, during an attempt or between attempts', () => {
    const { pets } = failing(Infinity);
    return use({ ...pets, create: () => never }, async (client) => {
      const reason = new Error('the user has left');
      const signal = AbortSignal.abort(reason);
      expect(await errorOf(client.get(1n, { signal }))).to.include({ code: 'aborted', cause: reason });
      for (const call of [
        (options: CreateOptions) => client.create(rex, options),
        (options: CreateOptions) => client.get(1n, options),
        (options: CreateOptions) => all(client.list(options)),
      ]) {
        const controller = new AbortController();
        setTimeout(() => {
          controller.abort(reason);
        }, 100);
        const began = performance.now();
        const error = await errorOf(call({ signal: controller.signal }));
        expect(error).to.include({ code: 'aborted', cause: reason });
        expect(performance.now() - began).to.be.below(2_000);
      }
    });
  });

  for (const apiKey of ['another-key', 'no key\n', '']) {
    it(`is unauthorized with the key ${JSON.stringify(apiKey)}`, () =>
      use(
        inMemoryPetRepository(),
        async (client) => {
          expect(await errorOf(client.create(rex))).to.include({ code: 'unauthorized', attempts: 1 });
          expect((await errorOf(all(client.list()))).code).to.equal('unauthorized');
        },
        apiKey,
      ));
  }

  it('rejects invalid arguments with a TypeError, never throws, and does not call the store', () => {
    const { pets, calls } = failing(0);
    return use(pets, async (client) => {
      const call = (
        operation: keyof AnimalStoreClient,
        ...values: ReadonlyArray<unknown>
      ): Promise<unknown> => {
        if (operation === 'list') return all(client.list(...values.filter(isOptions)));
        return Promise.resolve(Reflect.apply(client[operation], undefined, values));
      };
      const bad = [
        call('create', { name: 'Rex' }),
        call('create', undefined),
        call('create', { ...rex, categoryId: 2 ** 53 }),
        call('create', rex, { idempotencyKey: '' }),
        call('get', '1'),
        call('list', { status: 'lost' }),
        call('list', { pageSize: 101 }),
        call('list', { after: 1.5 }),
      ];
      for (const rejection of bad) {
        expect(await rejection.catch((error: unknown) => error)).to.be.an.instanceOf(TypeError);
      }
      expect(calls()).to.equal(0);
    });
  });

  it('rejects wrong options with a TypeError, and does not call the store', () => {
    const wrongOptions: ReadonlyArray<readonly [options: unknown, message: string]> = [
      ['order-17', 'options: they must be an object'],
      [null, 'options: they must be an object'],
      [{ timeoutMs: 0 }, 'timeoutMs: it must be a number greater than 0'],
      [{ timeoutMs: '5000' }, 'timeoutMs: it must be a number greater than 0'],
      [{ retryForMs: NaN }, 'retryForMs: it must be a number of at least 0'],
      [{ retryForMs: '0' }, 'retryForMs: it must be a number of at least 0'],
      [{ signal: true }, 'signal: it must be an AbortSignal'],
      [{ signal: new AbortController(), timeoutMs: 10 }, 'signal: it must be an AbortSignal'],
    ];
    const { pets, calls } = failing(0);
    return use(pets, async (client) => {
      for (const [options, message] of wrongOptions) {
        if (!isOptions(options)) return;
        for (const call of [
          () => client.create(rex, options),
          () => client.get(1n, options),
          () => all(client.list(options)),
        ]) {
          expect(await call().then(() => 'no error', String)).to.equal(`TypeError: invalid ${message}`);
        }
      }
      expect(calls()).to.equal(0);
    });
  });

  it('ignores options of unknown names', () =>
    use(inMemoryPetRepository(), async (client) => {
      const options = { idempotencykey: 7, colour: null, timeoutMs: 10_000 };
      expect(await client.create(rex, options)).to.deep.equal({ id: 1n, name: 'Rex', categoryId: 7n });
      expect(await all(client.list(options))).to.have.lengthOf(1);
    }));
};
