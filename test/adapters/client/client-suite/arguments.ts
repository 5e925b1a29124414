import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { type AnimalStoreClient, type NewPetInput } from '../../../../adapters/client';
import { inMemoryPetRepository } from '../../../../adapters/in-memory';
import { NewPetCodec } from '../../../../core';
import { all, errorOf, failing, isOptions, rex, type UseClient } from './support';

const text = 'a string of at most 1000 characters, without U+0000 and lone surrogates';

export const checksArguments = (use: UseClient): void => {
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
