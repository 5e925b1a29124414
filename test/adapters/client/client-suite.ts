import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import {
  NewPetCodec,
  type OperationName,
  type PetRepository,
  type ScopedIdempotencyKey,
  unavailable,
} from '../../../core';
import {
  type AnimalStoreClient,
  AnimalStoreError,
  type CallOptions,
  type CreateOptions,
  type NewPetInput,
  type PageOptions,
} from '../../../adapters/client';
import { petWithId } from '../../contracts/pet-repository/seeds';

/** Opens a client of a store over this repository, with a valid API key unless the options have another one. */
export type OpenClient = (
  repository: PetRepository,
  options?: CallOptions & { readonly apiKey?: string | (() => Promise<string>) },
) => Promise<{
  readonly client: AnimalStoreClient;
  readonly close: () => Promise<void>;
}>;

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

/** Call of each operation. The compiler reports an operation without one. */
const calls: Readonly<Record<OperationName, (client: AnimalStoreClient) => Promise<unknown>>> = {
  createPet: (client) => client.create({ name: 'Rex', categoryId: 7 }),
  getPet: (client) => client.get(1),
  listPets: (client) => client.page(),
};

const never = () => new Promise<never>(() => undefined);

/** Makes the compiler accept options that only JavaScript callers can pass. */
const isOptions = (_value: unknown): _value is PageOptions => true;

const rex = { name: 'Rex', categoryId: 7 };

const text = 'a string of at most 1000 characters, without U+0000 and lone surrogates';

/** Defines a test that each operation succeeds. */
export const answersEachOperation = (open: OpenClient): void => {
  it('answers each operation', async () => {
    const { client, close } = await open(inMemoryPetRepository({ pets: [petWithId(1n)] }));
    try {
      for (const call of Object.values(calls)) await call(client);
    } finally {
      await close();
    }
  });
};

/** Defines the tests of an AnimalStoreClient, embedded or remote. */
export const clientSuite = (open: OpenClient): void => {
  const use = async (
    repository: PetRepository,
    test: (client: AnimalStoreClient) => Promise<void>,
    options?: Parameters<OpenClient>[1],
  ): Promise<void> => {
    const { client, close } = await open(repository, options);
    try {
      await test(client);
    } finally {
      await close();
    }
  };

  answersEachOperation(open);

  it('creates, gets and lists animals, with every digit', () =>
    use(inMemoryPetRepository(), async (client) => {
      const tom = await client.create({ name: 'Tom', categoryId: 9007199254740993n, status: 'sold' });
      expect(tom).to.deep.equal({ id: 1n, name: 'Tom', categoryId: 9007199254740993n, status: 'sold' });
      const created = await client.create(rex);
      expect(created).to.deep.equal({ id: 2n, name: 'Rex', categoryId: 7n });
      expect(await client.get(1)).to.deep.equal(tom);
      expect(await client.get(2n)).to.deep.equal(created);
      const missing = await errorOf(client.get(3n));
      expect(missing).to.include({ code: 'pet_not_found', status: 404, attempts: 1 });
      expect(missing.message).to.equal('pet not found: no animal has the id 3');
      expect(await all(client.list())).to.deep.equal([tom, created]);
      expect(await all(client.list({ status: 'sold' }))).to.deep.equal([tom]);
      expect(await client.list({ after: '1' }).toArray()).to.deep.equal([created]);
      for (const empty of ['', null, undefined] as const)
        expect(await client.list({ status: empty, categoryId: empty }).toArray()).to.deep.equal([
          tom,
          created,
        ]);
      expect(await client.list({ categoryId: 7, order: 'asc' }).toArray()).to.deep.equal([created]);
      const newest = await client.page({ order: 'desc', pageSize: 1 });
      expect(newest).to.deep.equal({ pets: [created], next: { order: 'desc', pageSize: 1, after: 2n } });
      expect((await client.page(newest.next)).pets).to.deep.equal([tom]);
      expect(await client.list({ order: 'desc', pageSize: 1 }).toArray()).to.deep.equal([created, tom]);
      expect((await client.create({ name: '', categoryId: '9223372036854775807' })).categoryId).to.equal(
        2n ** 63n - 1n,
      );
    }));

  it('lists all animals, by pages of 100 or of the given size', () => {
    const animals = Array.from({ length: 250 }, (_, index) => petWithId(BigInt(index + 1)));
    const { pets, calls } = failing(0, inMemoryPetRepository({ pets: animals }));
    return use(pets, async (client) => {
      expect(await all(client.list())).to.deep.equal(animals);
      expect(calls()).to.equal(3);
      expect(await all(client.list({ pageSize: 25 }))).to.deep.equal(animals);
      expect(calls()).to.equal(13);
      const sold = animals.filter(({ status, id }) => status === 'sold' && id > 9n);
      expect(await all(client.list({ status: 'sold', after: 9n, pageSize: 7 }))).to.deep.equal(sold);
    });
  });

  it('reads one page, and returns the argument for the next one until the last page', () => {
    const pets = Array.from({ length: 5 }, (_, index) => petWithId(BigInt(index + 1)));
    return use(inMemoryPetRepository({ pets }), async (client) => {
      const first = await client.page({ pageSize: 2, after: 1, timeoutMs: 20_000 });
      expect(first).to.deep.equal({ pets: pets.slice(1, 3), next: { pageSize: 2, after: 3n } });
      const [ofForm, tooLarge]: ReadonlyArray<unknown> = [{ pageSize: '2', after: '1' }, { pageSize: '101' }];
      if (!isOptions(ofForm) || !isOptions(tooLarge)) return;
      expect(await client.page(ofForm)).to.deep.equal(first);
      expect((await errorOf(client.page(tooLarge))).fields[0]).to.include({ rule: 'out_of_range' });
      expect(await client.page(first.next)).to.deep.equal({ pets: pets.slice(3), next: undefined });
      expect(await client.page({ after: 5n })).to.deep.equal({ pets: [], next: undefined });
      expect((await client.page()).pets).to.deep.equal(pets);
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
      const patient = { retryForMs: 10_000 };
      expect(await client.create(rex, patient)).to.deep.equal({ id: 1n, name: 'Rex', categoryId: 7n });
      await client.create(rex);
      const texts = keys.map((key) => key?.idempotencyKey);
      expect(texts).to.have.lengthOf(4);
      expect(texts.slice(0, 3)).to.deep.equal([texts[0], texts[0], texts[0]]);
      expect(texts[0])
        .to.match(/^\d{1,10}(?:-\d{1,10}){3}$/)
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
      expect(await errorOf(client.get(1n, { signal }))).to.include({
        code: 'aborted',
        attempts: 0,
        cause: reason,
      });
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

  it('is unauthorized with an unknown key', () =>
    use(
      inMemoryPetRepository(),
      async (client) => {
        const expected = { code: 'unauthorized', status: 401, attempts: 1 };
        for (const call of Object.values(calls)) expect(await errorOf(call(client))).to.include(expected);
      },
      { apiKey: 'another-key' },
    ));

  it('asks for the key before each call if it is a function', () => {
    const keys = ['another-key', ''];
    return use(
      inMemoryPetRepository(),
      async (client) => {
        expect((await errorOf(client.create(rex))).code).to.equal('unauthorized');
        expect(await errorOf(client.create(rex))).to.include({ code: 'invalid_argument', status: 400 });
        expect(keys).to.deep.equal([]);
      },
      { apiKey: () => Promise.resolve(keys.shift() ?? 'no more keys') },
    );
  });

  it('fails with an AnimalStoreError if a function of the program throws', async () => {
    const cause = new Error('no key in the vault');
    const apiKey = (): Promise<string> => Promise.reject(cause);
    await use(
      inMemoryPetRepository(),
      async (client) => {
        const error = await errorOf(client.create(rex));
        expect(error).to.include({ code: 'invalid_argument', attempts: 0, cause });
        expect(error.message).to.include('apiKey').and.include('no key in the vault');
      },
      { apiKey },
    );
    const onRetry = (): never => {
      throw cause;
    };
    await use(failing(1).pets, async (client) => {
      expect(await errorOf(client.create(rex, { onRetry }))).to.include({ code: 'internal_error', cause });
    });
  });

  for (const apiKey of ['no key\n', '']) {
    it(`sends nothing with the malformed key ${JSON.stringify(apiKey)}`, () => {
      const { pets, calls } = failing(0);
      return use(
        pets,
        async (client) => {
          for (const call of [client.create(rex), all(client.list()), client.get(1)]) {
            const error = await errorOf(call);
            expect(error).to.include({ code: 'invalid_argument', status: 400, attempts: 0 });
            expect(error.fields.map(({ name }) => name)).to.deep.equal(['apiKey']);
          }
          expect(calls()).to.equal(0);
        },
        { apiKey },
      );
    });
  }

  for (const [apiKey, hint] of [
    ['Bearer k1', 'apiKey must be the key only, without Bearer'],
    ["'k1'", 'apiKey must be letters, digits and -._~+/, with = only at its end'],
  ] as const) {
    it(`says how the pasted key ${apiKey} must be`, () =>
      use(
        inMemoryPetRepository(),
        async (client) => {
          expect((await errorOf(client.page())).message).to.equal(hint);
        },
        { apiKey },
      ));
  }

  it('ignores blanks around digits and filters, and keeps those of a name', () =>
    use(inMemoryPetRepository(), async (client) => {
      const pet = await client.create({ name: ' Rex ', categoryId: ' 7\u00a0' });
      expect(pet).to.deep.equal({ id: 1n, name: ' Rex ', categoryId: 7n });
      expect(await client.get(' 1 ')).to.deep.equal(pet);
      expect(await client.list({ categoryId: '\t7 ', status: '' }).toArray()).to.deep.equal([pet]);
    }));

  it('refuses a second argument of page and list, instead of ignoring it', () => {
    const { pets, calls } = failing(0);
    return use(pets, async ({ page, list }) => {
      const message =
        'the second argument must be left out; pass filters and options of the call in one object';
      const twice: Array<never> = [];
      Object.assign(twice, [{ status: 'sold' }, { timeoutMs: 5 }]);
      expect((await errorOf(page(...twice))).message).to.equal(message);
      expect((await errorOf(list(...twice).toArray())).message).to.equal(message);
      expect(calls()).to.equal(0);
    });
  });

  it('says when to call again after a store was unavailable', () =>
    use(failing(Infinity).pets, async (client) => {
      expect(await errorOf(client.page({ retryForMs: 0 }))).to.include({ retryAfterMs: 1_000 });
    }));

  it('reports each retry, by the options of the client or of the call', () => {
    const { pets } = failing(3);
    const retries: Array<Parameters<NonNullable<CallOptions['onRetry']>>[0]> = [];
    return use(
      pets,
      async (client) => {
        const { replayed, idempotencyKey } = await client.createWithDetails(rex, { idempotencyKey: 'one' });
        expect({ replayed, idempotencyKey }).to.deep.equal({ replayed: false, idempotencyKey: 'one' });
        expect(
          retries.map(({ attempt, error }) => [attempt, error.code, error.idempotencyKey]),
        ).to.deep.equal([1, 2, 3].map((attempt) => [attempt, 'unavailable', 'one']));
        expect((await client.createWithDetails(rex, { idempotencyKey: 'one' })).replayed).to.equal(true);
      },
      { onRetry: (retry) => retries.push(retry), retryForMs: 30_000 },
    );
  });

  it('makes many calls with one signal without a warning of a leak', () => {
    const warnings: Array<string> = [];
    const warn = ({ message }: Error): void => void warnings.push(message);
    const { signal } = new AbortController();
    process.on('warning', warn);
    return use(inMemoryPetRepository(), async (client) => {
      await Promise.all(Array.from({ length: 20 }, () => client.create(rex, { signal })));
      await new Promise(setImmediate);
      process.off('warning', warn);
      expect(warnings).to.deep.equal([]);
    });
  });

  it('names each invalid argument as the caller wrote it, and does not call the store', () => {
    const { pets, calls } = failing(0);
    const create = (client: AnimalStoreClient, ...values: ReadonlyArray<unknown>): Promise<unknown> =>
      Promise.resolve(Reflect.apply(client.create, undefined, values));
    const range = 'an integer from -9223372036854775808 to 9223372036854775807';
    const inputs: ReadonlyArray<
      readonly [call: (client: AnimalStoreClient) => Promise<unknown>, message: string]
    > = [
      [(client) => create(client, { name: 'Rex' }), 'categoryId is required'],
      [(client) => create(client, undefined), 'the animal must be an object'],
      [
        (client) => create(client, { ...rex, Status: 'sold' }),
        'Status must be left out; known names are name, ',
      ],
      [(client) => create(client, { ...rex, categoryId: 2 ** 53 }), 'so pass a bigint'],
      [
        (client) => create(client, { name: 7, categoryId: 'x' }),
        `name must be ${text}; categoryId must be ${range}`,
      ],
      [(client) => create(client, rex, { idempotencyKey: '' }), 'idempotencyKey must be 1 to 255 printable'],
      [(client) => client.get('one'), `id must be ${range}`],
      [(client) => client.get(2n ** 63n), `id must be ${range}`],
      [(client) => client.page({ pageSize: 101 }), 'pageSize must be an integer from 1 to 100'],
      [(client) => client.list({ after: 1.5 }).toArray(), `after must be ${range}`],
    ];
    return use(pets, async (client) => {
      for (const [call, message] of inputs) {
        const error = await errorOf(call(client));
        expect(error).to.include({ code: 'invalid_argument', status: 400, attempts: 0 });
        expect(error.message).to.include(message);
        for (const { name } of error.fields) expect(error.message).to.include(name);
      }
      expect(calls()).to.equal(0);
    });
  });

  it('explains each invalid field of an animal by its rule and limit, also in JSON', () =>
    use(inMemoryPetRepository(), async (client) => {
      const fieldsOf = async (newPet: object): Promise<unknown> => {
        const error = await errorOf(Promise.resolve(Reflect.apply(client.create, undefined, [newPet])));
        const written: unknown = JSON.parse(JSON.stringify(error));
        expect(written).to.include({ code: 'invalid_argument', message: error.message });
        return error.fields;
      };
      const range = { minimum: '-9223372036854775808', maximum: '9223372036854775807' };
      const expected = `an integer from ${range.minimum} to ${range.maximum}`;
      const name = 'name';
      const categoryId = 'categoryId';
      const statuses = ['available', 'pending', 'sold'];
      const cases: ReadonlyArray<readonly [newPet: object, field: object]> = [
        [{ categoryId: 7 }, { name, rule: 'required', expected: text }],
        [
          { ...rex, name: 'x'.repeat(1_001) },
          { name, rule: 'too_long', maxLength: 1_000, expected: text },
        ],
        [
          { ...rex, name: 'a\0' },
          { name, rule: 'invalid', expected: text },
        ],
        ...[undefined, null, '', ' '].map(
          (missing) =>
            [
              { ...rex, categoryId: missing },
              { name: categoryId, rule: 'required', expected },
            ] as const,
        ),
        ...[1.5, NaN, 'seven', true].map(
          (value) =>
            [
              { ...rex, categoryId: value },
              { name: categoryId, rule: 'not_integer', expected },
            ] as const,
        ),
        ...[2n ** 63n, '9223372036854775808'].map(
          (value) =>
            [
              { ...rex, categoryId: value },
              { name: categoryId, rule: 'out_of_range', ...range, expected },
            ] as const,
        ),
        [
          { ...rex, status: 'gone' },
          {
            name: 'status',
            rule: 'not_one_of',
            values: statuses,
            expected: 'one of available, pending, sold',
          },
        ],
      ];
      for (const [newPet, field] of cases) expect(await fieldsOf(newPet)).to.deep.equal([field]);
    }));

  it('rejects wrong and unknown options, and does not call the store', () => {
    const wrongOptions: ReadonlyArray<readonly [options: unknown, message: string]> = [
      ['order-17', 'options must be an object'],
      [null, 'options must be an object'],
      [{ timeoutMs: 0 }, 'timeoutMs must be a number greater than 0'],
      [{ timeoutMs: '5000' }, 'timeoutMs must be a number greater than 0'],
      [{ retryForMs: NaN }, 'retryForMs must be a number of at least 0'],
      [{ signal: new AbortController(), timeoutMs: 10 }, 'signal must be an AbortSignal'],
      [{ onRetry: true }, 'onRetry must be a function'],
      [{ headers: { 'a name': '' } }, 'headers must be headers'],
      [{ limit: 1 }, 'limit must be left out; known names are signal, '],
    ];
    const { pets, calls } = failing(0);
    return use(pets, async (client) => {
      for (const [options, message] of wrongOptions) {
        if (!isOptions(options)) return;
        for (const call of [
          () => client.create(rex, options),
          () => client.get(1n, options),
          () => client.page(options),
          () => all(client.list(options)),
        ]) {
          expect((await errorOf(call())).message).to.include(message);
        }
      }
      expect(calls()).to.equal(0);
    });
  });

  it('accepts the same animals as the core', () =>
    use(inMemoryPetRepository(), async (client) => {
      const values: ReadonlyArray<unknown> = [
        ...['', 'x'.repeat(1_000), 'x'.repeat(1_001), '\u{1f600}'.repeat(1_000), '\u{1f600}'.repeat(1_001)],
        ...['a\0', '\ud800', undefined, null, 1n],
      ];
      const inputs = [
        ...values.map((name) => ({ name, categoryId: 1n })),
        ...[2n ** 63n, -(2n ** 63n), 1.5, NaN, null, 5].map((categoryId) => ({ name: '', categoryId })),
        ...['sold', 'gone', null, undefined].map((status) => ({ ...rex, status })),
        { ...rex, id: 7 },
      ];
      const isInput = (_value: unknown): _value is NewPetInput => true;
      for (const input of inputs) {
        if (!isInput(input)) return;
        const isCreated = await client.create(input).then(
          () => true,
          () => false,
        );
        expect(isCreated, String(Object.values(input))).to.equal(E.isRight(NewPetCodec.decode(input)));
      }
    }));
};
