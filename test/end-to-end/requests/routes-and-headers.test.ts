import { expect } from 'chai';
import { openApiDocument } from '../../../adapters/http';
import { describeService } from '../../support/service/service-under-test';
import type { CheckedAnswer } from '../../support/openapi/checked-answer';

const codeOf = ({ status, code }: CheckedAnswer) => [status, code];
const notFound = [404, 'route_not_found'];
const methodsOf = (answer: CheckedAnswer) => (answer.header('Allow') ?? '').split(/\s*,\s*/).toSorted();

/** A request target for each path, with the documented operations of the path. */
const documented: Readonly<Record<string, readonly [target: string, operations: object]>> = {
  '/pets': ['/v1/pets', { get: 'listPets', post: 'createPet' }],
  '/pets/{petId}': ['/v1/pets/1', { get: 'getPet' }],
};

describeService('Routes and headers', (service) => {
  it('matches a path exactly', async () => {
    const paths = [
      '/v1',
      '/v1/',
      '/v1/pets/',
      '/v1/PETS',
      '/v1/Pets',
      '/V1/pets',
      '/v1/pet',
      '/v1/pets/1/',
    ].concat(
      [
        '/v1/pets//',
        '/v1//pets',
        '//v1/pets',
        '/v1/pets/1/2',
        '/pets',
        '/v1/./pets',
        '/v1/pets/../pets',
        '/v2/pets',
      ],
      [
        '/v1/pets;a=b',
        '/v1/pets%2F1',
        '/v1/pets.json',
        '/v1/livez',
        '/livez/',
        '/LIVEZ',
        '/readyz/',
        '/openapi.json/',
      ],
      [
        '/OpenAPI.json',
        '/openapi.yaml',
        '/favicon.ico',
        '/index.html',
        '/.git/config',
        '/..%2f..%2fetc%2fpasswd',
      ],
    );
    for (const path of paths) expect(codeOf(await service.get(path)), path).to.deep.equal(notFound);
  });

  it('shows a start page at /, and leads from /docs/ to the reference, right under any prefix', async () => {
    const start = await service.get('/', { key: null });
    expect([start.status, start.header('Content-Type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(start.header('Content-Security-Policy')).to.include("default-src 'none'");
    expect(start.text).not.to.include('<script');
    for (const link of ['href="docs"', 'href="openapi.json"', 'http://localhost/v1/pets']) {
      expect(start.text).to.include(link);
    }
    const docs = await service.get('/docs/', { key: null });
    expect([docs.status, docs.header('Location'), docs.text]).to.deep.equal([308, '../docs', '']);
  });

  it('says where a new animal is, by a reference that holds under any prefix', async () => {
    const answer = await service.create('{"name":"Rex","categoryId":7}');
    expect(answer.header('Location')).to.equal(`pets/${answer.pet().id}`);
  });

  it('answers a known path with another method: 405, and Allow says which it takes', async () => {
    const all = ['DELETE', 'PUT', 'PATCH', 'POST', 'OPTIONS', 'TRACE', 'PROPFIND', 'MKCOL', 'QUERY'];
    for (const [target, operations] of Object.values(documented)) {
      const taken = ['HEAD', ...Object.keys(operations).map((method) => method.toUpperCase())].toSorted();
      for (const method of all.filter((one) => !taken.includes(one))) {
        const answer = await service.request(method, target);
        expect(codeOf(answer), `${method} ${target}`).to.deep.equal([405, 'method_not_allowed']);
        expect(methodsOf(answer)).to.deep.equal(taken);
      }
    }
    for (const target of ['/livez', '/readyz', '/openapi.json']) {
      const answer = await service.request('POST', target, { key: null });
      expect(codeOf(answer), target).to.deep.equal([405, 'method_not_allowed']);
      expect(methodsOf(answer), target).to.deep.equal(['GET', 'HEAD']);
    }
  });

  it('answers an unknown path with another method: 404', async () => {
    for (const method of ['POST', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      expect(codeOf(await service.request(method, '/v1/nothing')), method).to.deep.equal(notFound);
      expect(codeOf(await service.request(method, '/nothing')), method).to.deep.equal(notFound);
    }
  });

  it('answers HEAD as GET, without the body', async () => {
    const { id } = await service.add({ name: 'Ünïcode' });
    await service.add({});
    const targets = [
      '/v1/pets',
      '/v1/pets?limit=1',
      '/v1/pets?limit=0',
      `/v1/pets/${id}`,
      '/v1/pets/0',
      '/v1/nothing',
    ];
    for (const target of [...targets, '/nothing', '/livez', '/readyz', '/openapi.json', '/v1/pets/']) {
      const headersOf = ({ headers }: CheckedAnswer) =>
        headers.filter(([name]) => name !== 'x-request-id' && name !== 'date').toSorted();
      const [get, head] = [await service.get(target), await service.request('HEAD', target)];
      expect(head.status, target).to.equal(get.status);
      expect(headersOf(head), target).to.deep.equal(headersOf(get));
      expect(Number(head.header('Content-Length'))).to.equal(Buffer.byteLength(get.text));
    }
    const [get, head] = [
      await service.get('/v1/pets', { key: null }),
      await service.request('HEAD', '/v1/pets', { key: null }),
    ];
    expect([head.status, head.header('WWW-Authenticate')]).to.deep.equal([
      401,
      get.header('WWW-Authenticate'),
    ]);
  });

  it('is live and ready, and says so without a key', async () => {
    expect((await service.get('/livez', { key: null })).json).to.deep.equal({ status: 'live' });
    expect((await service.get('/readyz', { key: null })).json).to.deep.equal({ status: 'ready' });
  });

  it('serves the OpenAPI document that every answer here is checked against', async () => {
    const { text } = await service.get('/openapi.json', { key: null });
    const served: unknown = JSON.parse(text);
    const expected: unknown = JSON.parse(JSON.stringify(openApiDocument));
    expect(Object.assign({}, served, { servers: [] })).to.deep.equal(
      Object.assign({}, expected, { servers: [] }),
    );
  });

  it('names itself in the served OpenAPI documents as the client has addressed it', async () => {
    for (const [path, base] of [
      ['/openapi.json', '/v1'],
      ['/openapi-service.json', ''],
    ] as const) {
      for (const host of ['animals.example', 'localhost:3000']) {
        const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
        const { json } = await service.exchangeOne(request, { method: 'GET', target: path });
        expect(json).to.have.deep.property('servers', [{ url: `http://${host}${base}` }]);
      }
      const withoutHost = await service.exchangeOne(`GET ${path} HTTP/1.0\r\n\r\n`, {
        method: 'GET',
        target: path,
      });
      expect(withoutHost.json).to.have.nested.property('servers[0].url').that.matches(/^\./);
    }
  });

  it('documents every operation, the deprecated one as such', async () => {
    const { json } = await service.get('/openapi.json');
    expect(Object.keys(openApiDocument.paths)).to.have.members(Object.keys(documented));
    for (const [path, [, operations]] of Object.entries(documented)) {
      expect(openApiDocument.paths[path]).to.have.all.keys(...Object.keys(operations));
      for (const [method, operationId] of Object.entries(operations)) {
        expect(json).to.have.nested.property(`paths.${path}.${method}.operationId`, operationId);
      }
    }
    expect(json).to.have.nested.property('paths./pets/{petId}.get.deprecated', true);
    expect(json).not.to.have.nested.property('paths./pets.get.deprecated');
  });

  it('keeps a well-formed X-Request-Id, on errors too', async () => {
    for (const requestId of ['a', 'client-1.2_3', '8e03978e-40d5-43dd-bc93-6894a57f9324', 'A0'.repeat(16)]) {
      const headers = { 'X-Request-Id': `${requestId}-${Date.now()}` };
      expect((await service.get('/livez', { headers })).header('X-Request-Id')).to.equal(
        headers['X-Request-Id'],
      );
      const other = { 'X-Request-Id': `other-${headers['X-Request-Id']}` };
      const error = await service.get('/v1/nothing', { key: null, headers: other });
      expect(error.header('X-Request-Id')).to.equal(other['X-Request-Id']);
    }
  });

  it('replaces an X-Request-Id that is not well-formed', async () => {
    for (const requestId of [
      '',
      'a b',
      '"a"',
      'a\tb',
      '<script>',
      'x'.repeat(10_000),
      'é',
      '\xff',
      '{"a":1}',
      'a,b',
    ]) {
      const given = (await service.get('/livez', { headers: { 'X-Request-Id': requestId } })).header(
        'X-Request-Id',
      );
      expect(given).not.to.equal(requestId);
      expect(given).to.match(/^[\w.-]{8,128}$/);
    }
  });

  it('makes a new X-Request-Id for each request', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.get('/livez')));
    expect(new Set(answers.map((answer) => answer.header('X-Request-Id'))).size).to.equal(20);
  });

  it('tells browsers and caches to keep out, on answers of every kind', async () => {
    const answers = [
      await service.get('/v1/pets'),
      await service.create('{'),
      await service.get('/v1/pets', { key: null }),
      await service.get('/nothing'),
      await service.request('DELETE', '/v1/pets'),
      await service.exchangeOne('nonsense\r\n\r\n', { method: '', target: '' }),
      await service.request('CONNECT', 'a:1'),
      await service.get('/livez', { headers: { Expect: 'a miracle' } }),
      await service.get('/livez', { headers: { X: 'x'.repeat(20_000) } }),
    ];
    answers.forEach((answer) => {
      const names = answer.headers.map(([name]) => name);
      expect(names).to.include.members(['cross-origin-resource-policy', 'x-frame-options']);
      expect(answer.header('X-Content-Type-Options')).to.equal('nosniff');
      expect(answer.header('Content-Security-Policy')).to.include("default-src 'none'");
      expect(answer.header('Cache-Control')).to.include('no-store');
      expect(answer.header('Referrer-Policy')).to.equal('no-referrer');
      expect(answer.header('X-Powered-By')).to.equal(undefined);
      expect(answer.header('Server') ?? '').not.to.match(/node|koa/i);
    });
  });

  it('writes one line of JSON a request to standard output, with no key and no query in it', async () => {
    const requestId = `logged-${Date.now()}`;
    const headers = { 'X-Request-Id': requestId, Cookie: 'a-cookie' };
    await service.get('/v1/pets?limit=3&access_token=a-secret', { headers });
    const lineOf = () => service.logLines.filter((line) => line.includes(requestId));
    for (let waits = 0; lineOf().length === 0 && waits < 200; waits += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(lineOf()).to.have.length(1);
    const [line = ''] = lineOf();
    const parsed: unknown = JSON.parse(line);
    expect(parsed).to.include({ requestId, method: 'GET', path: '/v1/pets', status: 200 });
    expect(line).not.to.match(/a-secret|a-cookie/);
  });
});
