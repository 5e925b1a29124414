import { expect } from 'chai';
import { serviceStatuses } from '../../../adapters/client/animal-store-error';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { runInNewContext } from 'node:vm';
import { animalStoreClient, type AnimalStoreClient, AnimalStoreError } from '../../../adapters/client';
import { describeFailure } from '../../../adapters/http/errors';
import { listenOn } from '../../support/http/listen';
import { exampleFailures } from '../../support/openapi/example-failures';

const rex = { name: 'Rex', categoryId: 7 };
const stored = '{"id":1,"name":"Rex","categoryId":7}';

type Answer = (response: ServerResponse) => void;

const answer =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

const failure = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  answer(status, JSON.stringify({ code, message: 'a message', status }), {
    'X-Request-Id': 'r1',
    ...headers,
  });

/** Calls a client of a server that gives these responses in turn, and then repeats the last one. */
const against = async <A>(
  answers: ReadonlyArray<Answer>,
  call: (client: AnimalStoreClient) => Promise<A>,
  path = '',
) => {
  const requests: Array<IncomingMessage> = [];
  const listener: RequestListener = (request, response) => {
    const current = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    request.resume().on('end', () => current?.(response));
  };
  const { address, close } = await listenOn(createServer(listener));
  try {
    const client = animalStoreClient({ baseUrl: address + path, apiKey: 'k1' });
    const outcome = await call(client).catch((error: unknown) => {
      if (error instanceof AnimalStoreError) return error;
      throw error;
    });
    return { outcome, requests };
  } finally {
    await close();
  }
};

const once = { retryForMs: 0 };

describe('An answer to the client', () => {
  it('has one of the codes that the client knows, with its status', () => {
    const answers = Object.values(exampleFailures).map(describeFailure);
    expect(serviceStatuses).to.deep.equal(
      Object.fromEntries(answers.map(({ code, status }) => [code, status])),
    );
  });

  it('that is an Error becomes an AnimalStoreError', async () => {
    const { outcome } = await against([failure(429, 'rate_limited', { 'Retry-After': '30' })], (client) =>
      client.create(rex, { ...once, idempotencyKey: 'one' }),
    );
    expect(outcome).to.be.an.instanceOf(Error).and.include({
      name: 'AnimalStoreError',
      code: 'rate_limited',
      message: 'a message',
      status: 429,
      requestId: 'r1',
      retryAfterMs: 30_000,
      attempts: 1,
      idempotencyKey: 'one',
    });
  });

  it('without the animal that was asked for has the id of the request in its error', async () => {
    const page = answer(200, `[${stored}]`, { 'X-Request-Id': 'r1' });
    const { outcome } = await against([page], (client) => client.get(404n));
    expect(outcome).to.include({ code: 'pet_not_found', requestId: 'r1', status: 404 });
  });

  for (const [status, code] of [
    [408, 'request_timeout'],
    [409, 'idempotency_key_in_flight'],
    [429, 'rate_limited'],
    [503, 'unavailable'],
  ] as const) {
    it(`of ${status} ${code} is followed by another attempt with the same key and body`, async () => {
      const { outcome, requests } = await against([failure(status, code), answer(201, stored)], (client) =>
        client.create(rex),
      );
      expect(outcome).to.deep.equal({ id: 1n, name: 'Rex', categoryId: 7n });
      const [first, second] = requests.map(({ headers }) => headers['idempotency-key']);
      expect(first)
        .to.match(/^"\d{1,10}(?:-\d{1,10}){3}"$/)
        .and.equal(second);
    });
  }

  for (const [status, code] of [
    [400, 'invalid_body'],
    [401, 'unauthorized'],
    [500, 'internal_error'],
  ] as const) {
    it(`of ${status} ${code} ends the call`, async () => {
      const { outcome, requests } = await against([failure(status, code)], (client) => client.create(rex));
      expect(outcome).to.include({ code, status });
      expect(requests).to.have.lengthOf(1);
    });
  }

  it('that says to wait longer than the budget ends the call at once', async () => {
    const began = performance.now();
    const { outcome } = await against([failure(503, 'unavailable', { 'Retry-After': '60' })], (client) =>
      client.create(rex),
    );
    expect(outcome).to.include({ code: 'unavailable', attempts: 1, retryAfterMs: 60_000 });
    expect(performance.now() - began).to.be.below(2_000);
  });

  it('that redirects names the address, such as that of a host that adds a slash', async () => {
    const redirect = answer(308, '', { Location: '/v1/pets/' });
    const { outcome } = await against([redirect], (client) => client.create(rex));
    expect(outcome).to.have.property('message').that.includes('a redirect to /v1/pets/; check baseUrl');
  });

  for (const [name, response] of Object.entries({
    'an HTML page': answer(200, `<html>${'x'.repeat(1_000)}`),
    'an error without a known code': failure(418, 'no_such_code'),
    'an error with the code of an aborted call': failure(400, 'aborted'),
    'a redirect': answer(302, '', { Location: '/elsewhere' }),
    'an animal with a fraction as its id': answer(201, '{"id":1.5,"name":"Rex","categoryId":7}'),
    'a pet whose id is a string': answer(201, '{"id":"5","name":"Rex","categoryId":7}'),
    'a page of nothing': answer(200, 'null'),
    nothing: answer(204, ''),
  })) {
    it(`that is ${name} is unexpected, and shows its status and first bytes`, async () => {
      const { outcome, requests } = await against([response], (client) => client.create(rex));
      expect(outcome).to.include({ code: 'unexpected_response', attempts: 1 });
      expect(outcome)
        .to.have.property('message')
        .that.matches(/^unexpected response with status \d{3}: /)
        .and.has.lengthOf.below(300);
      expect(requests).to.have.lengthOf(1);
    });
  }

  it('of a proxy whose service restarts is followed by another attempt', async () => {
    const statuses = [425, 502, 503, 504, 520, 521, 522, 523, 524, 530];
    const { outcome } = await against(
      statuses.map((status) => answer(status, `<html>error ${status}</html>`, { 'Retry-After': '60' })),
      async (client) => {
        for (const status of statuses) {
          const stop = new AbortController();
          const onRetry = ({ error }: { readonly error: AnimalStoreError }): void => {
            expect(error.message).to.include(`error ${status}`);
            stop.abort();
          };
          const limits = { signal: stop.signal, onRetry, retryForMs: Infinity };
          const error: unknown = await client.create(rex, limits).catch((reason: unknown) => reason);
          expect(error, String(status)).to.include({ code: 'aborted' });
        }
      },
    );
    expect(outcome).to.equal(undefined);
  });

  for (const status of [500, 507, 525, 526, 527])
    it(`of a proxy with the status ${status}, which a retry does not mend, ends the call`, async () => {
      const { requests } = await against([answer(status, 'x')], (client) => client.create(rex));
      expect(requests).to.have.lengthOf(1);
    });

  it('that stops halfway is cut off', async () => {
    const halfway: Answer = (response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('[');
    };
    const limits = { timeoutMs: 100, retryForMs: 0 };
    const { outcome } = await against([halfway], (client) => client.get(1n, limits));
    expect(outcome).to.include({ code: 'timeout' });
  });

  it('that is cut short is a network error, after which a create is repeated with its key', async () => {
    const cut: Answer = (response) => {
      response.writeHead(201, { 'Content-Length': '100' });
      response.write('{"id":1');
      setTimeout(() => response.destroy(), 20);
    };
    const { outcome, requests } = await against(
      [cut, (response) => response.destroy(), answer(201, stored)],
      (client) => client.create(rex),
    );
    expect(outcome).to.have.property('id', 1n);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).to.equal(1);
    expect(requests).to.have.lengthOf(3);
  });

  it('does not come where nobody listens', async () => {
    const { address, close } = await listenOn(createServer());
    await close();
    const client = animalStoreClient({ baseUrl: address, apiKey: 'k1' });
    const error: unknown = await client.get(1n, once).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'network' });
    expect(error).to.have.property('message').that.includes('ECONNREFUSED');
  });

  for (const [page, body] of [
    ['the same animals', `[${stored}]`],
    ['no animals', '[]'],
  ] as const) {
    it(`that links to itself with ${page} ends the list as unexpected_response`, async () => {
      const again = answer(200, body, { Link: '<?>; rel="next"' });
      const { outcome, requests } = await against([again, again, again], async (client) => {
        for await (const { name } of client.list(once)) expect(name).to.equal('Rex');
      });
      expect(outcome).to.include({ code: 'unexpected_response' });
      expect(outcome).to.have.property('message').that.includes('a page is empty or repeats animals');
      expect(requests.length).to.be.below(3);
    });
  }

  for (const [link, isLast] of [
    ['<pets?limit=100&after=1>; rel="next"', false],
    ['<?limit=1>; rel="prev", <pets?limit=100&after=1>; title=x; rel=next', false],
    ['<pets?limit=100&after=1>; title="a, b; c"; rel="last next"', false],
    ['<?after=1>; rel="nextish"', true],
    ['<?rel=next>; rel="prev"', true],
  ] as const) {
    it(`that links to ${link} is ${isLast ? 'the last page' : 'followed by another page'}`, async () => {
      const page = answer(200, `[${stored}]`, { Link: link });
      const { requests } = await against([page, answer(200, '[]')], async (client) => {
        for await (const { id } of client.list(once)) expect(id).to.equal(1n);
      });
      const urls = ['/v1/pets?limit=100', '/v1/pets?limit=100&after=1'];
      expect(requests.map(({ url }) => url)).to.deep.equal(urls.slice(0, isLast ? 1 : 2));
    });
  }

  for (const suffix of ['', '/', '/v1', '/v1/', '/store', '/store/v1']) {
    it(`comes from the right address where the base URL ends with ${suffix || 'the port'}`, async () => {
      const { requests } = await against(
        [answer(200, '[]')],
        async (client) => {
          expect((await client.page()).pets).to.deep.equal([]);
        },
        suffix,
      );
      const base = suffix.includes('store') ? '/store' : '';
      expect(requests.map(({ url }) => url)).to.deep.equal([`${base}/v1/pets?limit=100`]);
    });
  }

  for (const [value, atLeastMs] of [
    ['1', 1_000],
    ['2.5', 2_500],
    ['2, 2', 2_000],
    ['2 ', 2_000],
    ['-1', 0],
    ['soon', 0],
    [new Date(Date.now() + 3_600_000).toUTCString(), 3_000_000],
  ] as const) {
    it(`with Retry-After: ${value} is repeated after the sum of it and a random pause`, async () => {
      const stop = new AbortController();
      let delayMs = 0;
      const onRetry = (retry: { readonly delayMs: number }): void => {
        delayMs = retry.delayMs;
        stop.abort();
      };
      const options = { onRetry, signal: stop.signal, retryForMs: Infinity };
      const { outcome } = await against([failure(503, 'unavailable', { 'Retry-After': value })], (client) =>
        client.page(options),
      );
      expect(outcome).to.include({ code: 'aborted', attempts: 1 });
      expect(delayMs).to.be.greaterThan(atLeastMs);
      expect(delayMs).to.be.at.most(atLeastMs < 10_000 ? atLeastMs + 400 : 3_600_400);
    });
  }

  it('without an end is cut off', async () => {
    const endless: Answer = (response) => {
      response.writeHead(200);
      const more = (): void => {
        while (response.write('['.repeat(65_536)));
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    };
    const { outcome } = await against([endless], (client) => client.page());
    expect(outcome).to.include({ code: 'unexpected_response', attempts: 1 });
    expect(outcome).to.have.property('message').that.includes('the body has more than');
  });

  it('without an end is cancelled, also if it comes from a function that ignores signals', async () => {
    let isCancelled = false;
    const body = new ReadableStream({
      pull: (controller) => {
        controller.enqueue(new Uint8Array(65_536).fill(0x5b));
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    const fetch = () => Promise.resolve(new Response(body));
    const client = animalStoreClient({ baseUrl: 'http://store', apiKey: 'k1', fetch });
    await client.page().catch(() => undefined);
    expect(isCancelled).to.equal(true);
  });

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

  it('is not waited for at a port that fetch refuses', async () => {
    const client = animalStoreClient({ baseUrl: 'http://127.0.0.1:6000', apiKey: 'k1' });
    const error: unknown = await client.page().catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'unexpected_response', attempts: 1 });
    expect(error).to.have.property('message').that.includes('bad port');
  });

  it('is not asked for with an address that cannot be the service', async () => {
    const secret = 'a-password';
    for (const [baseUrl, expected] of [
      [undefined, 'baseUrl is required'],
      ['no address', 'an absolute URL'],
      ['ftp://127.0.0.1', 'an http or https address'],
      [`http://me:${secret}@127.0.0.1`, 'without a user name and password'],
      [`http://127.0.0.1/?key=${secret}`, 'without a query and fragment'],
      [`http://127.0.0.1/#${secret}`, 'without a query and fragment'],
    ] as const) {
      const client: unknown = Reflect.apply(animalStoreClient, undefined, [{ baseUrl, apiKey: 'k1' }]);
      const isClient = (_value: unknown): _value is AnimalStoreClient => true;
      if (!isClient(client)) return;
      const error = await client.page().catch((reason: unknown) => reason);
      expect(error).to.be.an.instanceOf(AnimalStoreError).and.include({ code: 'invalid_argument' });
      expect(String(error)).to.include(expected).and.not.include(secret);
    }
  });
});
