import { expect } from 'chai';
import { declaredMethods } from '../../support/openapi/declared-methods';
import { describeService } from '../../support/service/service-under-test';
import type { CheckedAnswer } from '../../support/openapi/checked-answer';

const codeOf = ({ status, code }: CheckedAnswer) => [status, code];
const notFound = [404, 'route_not_found'];

describeService('Routes and headers', (service) => {
  it('matches a path exactly', async () => {
    for (const path of [
      ...['/v1', '/v1/', '/v1/pets/', '/v1/PETS', '/V1/pets', '/v1/pet', '/v1/pets/1/', '/v1//pets'],
      ...['//v1/pets', '/v1/pets/1/2', '/pets', '/v1/./pets', '/v1/pets/../pets', '/v1/pets;a=b'],
      ...['/v1/pets%2F1', '/v1/livez', '/livez/', '/LIVEZ', '/openapi.json/', '/index.html'],
    ]) {
      expect(codeOf(await service.get(path)), path).to.deep.equal(notFound);
    }
    for (const method of ['POST', 'OPTIONS', 'PROPFIND']) {
      expect(codeOf(await service.request(method, '/nothing')), method).to.deep.equal(notFound);
    }
  });

  for (const [target, allowed] of [
    ['/v1/pets', declaredMethods('/pets').join(', ')],
    ['/v1/pets/1', declaredMethods('/pets/{petId}').join(', ')],
    ['/livez', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
  ] as const) {
    it(`answers ${target} with another method: 405, and Allow says which it takes`, async () => {
      for (const method of ['DELETE', 'PUT', 'PATCH', 'POST', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
        if (allowed.includes(method)) continue;
        const answer = await service.request(method, target);
        expect(codeOf(answer), method).to.deep.equal([405, 'method_not_allowed']);
        expect(answer.header('Allow')).to.equal(allowed);
      }
    });
  }

  it('answers HEAD as GET, without the body', async () => {
    const { id } = await service.add({ name: 'Ünïcode' });
    await service.add({});
    for (const [target, options] of [
      ...['/v1/pets?limit=1', '/v1/pets?limit=0', `/v1/pets/${id}`, '/v1/pets/0', '/v1/nothing', '/nothing']
        .concat('/livez', '/readyz', '/openapi.json')
        .map((path) => [path, {}] as const),
      ['/v1/pets', { key: 'wrong' }] as const,
    ]) {
      const headersOf = ({ headers }: CheckedAnswer) =>
        headers.filter(([name]) => name !== 'x-request-id' && name !== 'date').toSorted();
      const get = await service.get(target, options);
      const head = await service.request('HEAD', target, options);
      expect(head.status, target).to.equal(get.status);
      expect(headersOf(head), target).to.deep.equal(headersOf(get));
      expect(Number(head.header('Content-Length'))).to.equal(Buffer.byteLength(get.text));
    }
  });

  it('names itself in /openapi.json by Host, and by no forwarded header if no proxy is trusted', async () => {
    const asked = { method: 'GET', target: '/openapi.json' };
    const forged = 'X-Forwarded-Host: evil\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Prefix: /evil\r\n';
    const request = `GET /openapi.json HTTP/1.1\r\nHost: animals.example:8080\r\n${forged}Connection: close\r\n\r\n`;
    const { json } = await service.exchangeOne(request, asked);
    expect(json).to.have.deep.property('servers', [{ url: 'http://animals.example:8080/v1' }]);
    const withoutHost = await service.exchangeOne('GET /openapi.json HTTP/1.0\r\n\r\n', asked);
    expect(withoutHost.json).to.have.nested.property('servers[0].url').that.matches(/^\./);
  });

  it('answers 304 to a client that has /openapi.json already', async () => {
    const etag = (await service.get('/openapi.json')).header('ETag') ?? '';
    const { status } = await service.get('/openapi.json', { headers: { 'If-None-Match': etag } });
    expect(status).to.equal(304);
  });

  it('keeps a well-formed X-Request-Id, on errors too', async () => {
    for (const [target, requestId] of Object.entries({
      '/livez': 'a',
      '/nothing': 'client-1.2_3',
      '/v1/nothing': `A0:~+/=${'a'.repeat(121)}`,
    })) {
      const { header } = await service.get(target, { key: null, headers: { 'X-Request-Id': requestId } });
      expect(header('X-Request-Id')).to.equal(requestId);
    }
  });

  it('replaces an X-Request-Id that is not well-formed', async () => {
    for (const requestId of ['', 'a b', '"a"', 'a\tb', '<script>', 'x'.repeat(10_000), '\xff', 'a,b']) {
      const { header } = await service.get('/livez', { headers: { 'X-Request-Id': requestId } });
      expect(header('X-Request-Id')).to.match(/^[\da-f]{8}-[\da-f-]{27}$/);
    }
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
      expect(answer.header('X-Content-Type-Options')).to.equal('nosniff');
      expect(answer.header('Content-Security-Policy')).to.equal("default-src 'none'; frame-ancestors 'none'");
      expect(answer.header('Cache-Control')).to.equal('no-store');
      expect(answer.header('X-Powered-By')).to.equal(undefined);
      expect(answer.header('Server') ?? '').not.to.match(/node|koa/i);
    });
  });
});
