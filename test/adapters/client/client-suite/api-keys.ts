import { expect } from 'chai';
import { inMemoryPetRepository } from '../../../../adapters/in-memory';
import { all, calls, errorOf, failing, rex, type UseClient } from './support';

export const sendsApiKeys = (use: UseClient): void => {
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
      expect(await errorOf(client.create(rex, { onRetry }))).to.include({ code: 'callback_failed', cause });
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
};
