import { expect } from 'chai';
import { runInNewContext } from 'node:vm';
import { animalStoreClient, AnimalStoreError } from '../../../adapters/client';
import { once, rex, stored } from './answering-server';

describe('An answer to the client', () => {
  it('that never came has the reason of an error of another realm', async () => {
    const fail: unknown = runInNewContext(
      "() => Promise.reject(new TypeError('fetch failed', { cause: new Error('no route') }))",
    );
    const isFetch = (_value: unknown): _value is typeof fetch => true;
    if (!isFetch(fail)) return;
    const client = animalStoreClient({ baseUrl: 'http://127.0.0.1:1024', apiKey: 'k1', fetch: fail });
    const error: unknown = await client.page(once).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'network', status: 502, message: 'no answer: no route' });
  });

  it('that a framework replaces by an error of its own, with a digest, ends in this error at once', async () => {
    let attempts = 0;
    const control = Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' });
    const end = (): never => {
      attempts += 1;
      throw control;
    };
    for (const options of [{ apiKey: 'k1', fetch: end }, { apiKey: end }]) {
      const client = animalStoreClient({ baseUrl: 'http://127.0.0.1:1024', ...options });
      expect(await client.page().catch((reason: unknown) => reason)).to.equal(control);
    }
    expect(attempts).to.equal(2);
  });

  it('is asked for with a random key that polyfills can make, or by an error that names what is missing', async () => {
    const fetch = () => Promise.resolve(new Response(stored, { status: 201 }));
    const client = animalStoreClient({ baseUrl: 'http://127.0.0.1:1024', apiKey: 'k1', fetch });
    const { crypto } = globalThis;
    const polyfill = {
      getRandomValues: (array: object) =>
        /^Uint(?:8|16|32)Array$/.test(array.constructor.name) ? array : expect.fail('not supported'),
    };
    try {
      Object.defineProperty(globalThis, 'crypto', { value: polyfill, configurable: true });
      expect((await client.create(rex)).id).to.equal(1n);
      Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
      expect((await client.create(rex, { idempotencyKey: 'one' })).id).to.equal(1n);
      const error: unknown = await client.create(rex).catch((reason: unknown) => reason);
      expect(error).to.be.an.instanceOf(AnimalStoreError).and.include({ code: 'invalid_argument' });
      expect(error).to.have.property('message').that.includes('crypto.getRandomValues');
    } finally {
      Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
    }
  });

  it('is read on platforms that have no stream of a body', async () => {
    const fetch = () =>
      Promise.resolve(Object.defineProperty(new Response('[]'), 'body', { value: undefined }));
    const client = animalStoreClient({ baseUrl: 'http://127.0.0.1:1024', apiKey: 'k1', fetch });
    expect(await client.page()).to.deep.equal({ pets: [], next: undefined });
  });

  const fakes: ReadonlyArray<readonly [name: string, fake: () => unknown]> = [
    ['is a plain object without headers', () => Promise.resolve({ ok: true, json: () => [] })],
    ['is undefined', () => undefined],
    ['has no text', () => ({ status: 200, headers: new Headers(), text: () => undefined })],
    ['is the TypeError of a fake', (): unknown => runInNewContext('undefined.url')],
    ['is the ReferenceError of a fake', () => Promise.reject(new ReferenceError('url is not defined'))],
  ];
  for (const [name, fake] of fakes) {
    it(`that ${name} is unexpected at once`, async () => {
      const isFetch = (_value: unknown): _value is typeof fetch => true;
      if (!isFetch(fake)) return;
      const client = animalStoreClient({ baseUrl: 'http://127.0.0.1:1024', apiKey: 'k1', fetch: fake });
      const error: unknown = await client.create(rex).catch((reason: unknown) => reason);
      expect(error).to.be.an.instanceOf(AnimalStoreError);
      expect(error).to.include({ code: 'unexpected_response', attempts: 1 });
    });
  }

  for (const host of ['annulled.example', 'undefined.example', 'other.example']) {
    it(`that the network loses on the way to ${host} is asked for again`, async () => {
      const cause = new Error(`getaddrinfo EAI_AGAIN ${host}`);
      let calls = 0;
      const fetch = () => {
        calls += 1;
        return calls === 1
          ? Promise.reject(new TypeError('fetch failed', { cause }))
          : Promise.resolve(new Response('[]'));
      };
      const client = animalStoreClient({ baseUrl: 'http://127.0.0.1:1024', apiKey: 'k1', fetch });
      expect((await client.page()).pets).to.deep.equal([]);
    });
  }

  it('is not asked for without a global fetch', async () => {
    const { fetch } = globalThis;
    const client = animalStoreClient({ baseUrl: 'http://127.0.0.1:1024', apiKey: 'k1' });
    Reflect.deleteProperty(globalThis, 'fetch');
    try {
      const error: unknown = await client.create(rex).catch((reason: unknown) => reason);
      expect(error).to.be.an.instanceOf(AnimalStoreError).and.include({ code: 'invalid_argument' });
    } finally {
      globalThis.fetch = fetch;
    }
  });
});
