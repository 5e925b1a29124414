import { expect } from 'chai';
import { describeOnEveryStore } from '../support/describe-on-every-store';
import { apiKeys, requestBytes } from '../support/service-under-test';

const authorization = `Authorization: Bearer ${apiKeys.first}`;
const lines = (...all: ReadonlyArray<string>) => [...all, '', ''].join('\r\n');
const get = (target: string, ...headers: ReadonlyArray<string>) =>
  lines(`GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', authorization, ...headers);
const keptAlive = (target: string) => lines(`GET ${target} HTTP/1.1`, 'Host: localhost', authorization);
const list = { method: 'GET', target: '/v1/pets' };
const live = { method: 'GET', target: '/livez' };
const nothing = { method: '', target: '' };

describeOnEveryStore('Malformed and unusual HTTP', (service) => {
  afterEach('the service still answers', async () => {
    expect((await service.get('/livez')).status).to.equal(200);
  });

  const malformed: Readonly<Record<string, string>> = {
    'a line that is no request': lines('nonsense'),
    'a TLS hello': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
    'a target with a space': get('/v1/pets x'),
    'a target with a control character': get('/v1/pets\x01'),
    'a target with raw bytes past ASCII': get('/v1/pets/\xff\xfe'),
    'no target': lines('GET HTTP/1.1', 'Host: localhost'),
    'a lower-case method': lines('get /v1/pets HTTP/1.1', 'Host: localhost'),
    'an unknown method': lines('BREW /v1/pets HTTP/1.1', 'Host: localhost', authorization),
    'a version that is none': lines('GET /v1/pets HTTP/9.9', 'Host: localhost'),
    'a version without a number': lines('GET /v1/pets HTTP/x', 'Host: localhost'),
    'the protocol of another service': lines('GET /v1/pets ICY/1.0', 'Host: localhost'),
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a header without a colon': get('/v1/pets', 'Colour'),
    'a header with a space in its name': get('/v1/pets', 'Co lour: red'),
    'a header with a space before the colon': get('/v1/pets', 'Colour : red'),
    'a header without a name': get('/v1/pets', ': red'),
    'a header with a NUL': get('/v1/pets', 'Colour: r\0d'),
    'a header with a DEL': get('/v1/pets', 'Colour: r\x7fd'),
    'a header with a bare carriage return': get('/v1/pets', 'Colour: r\rd: x'),
    'a folded header': get('/v1/pets', 'Colour: red', ' blue'),
    'no Host': lines('GET /v1/pets HTTP/1.1', authorization, 'Connection: close'),
    'two Hosts': get('/v1/pets', 'Host: other'),
    'two equal Hosts': get('/v1/pets', 'host: localhost'),
    'two Authorizations': get('/v1/pets', 'Authorization: Bearer wrong'),
    'two equal Authorizations': get(
      '/v1/pets',
      authorization.toLowerCase().replace(/bearer.*/, `Bearer ${apiKeys.first}`),
    ),
    'two Content-Lengths': get('/v1/pets', 'Content-Length: 0', 'Content-Length: 5'),
    'two Content-Lengths in one': get('/v1/pets', 'Content-Length: 0, 5'),
    'a negative Content-Length': get('/v1/pets', 'Content-Length: -1'),
    'a Content-Length with a plus': get('/v1/pets', 'Content-Length: +1'),
    'a Content-Length in hexadecimal': get('/v1/pets', 'Content-Length: 0x1'),
    'a Content-Length past all bounds': get('/v1/pets', 'Content-Length: 99999999999999999999999'),
    'Content-Length beside Transfer-Encoding': get(
      '/v1/pets',
      'Content-Length: 5',
      'Transfer-Encoding: chunked',
    ),
    'Transfer-Encoding beside Content-Length': get(
      '/v1/pets',
      'Transfer-Encoding: chunked',
      'Content-Length: 5',
    ),
    'a Transfer-Encoding that does not end chunked': get('/v1/pets', 'Transfer-Encoding: chunked, gzip'),
    'an unknown Transfer-Encoding': get('/v1/pets', 'Transfer-Encoding: xchunked'),
    'chunked twice': get('/v1/pets', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
    'an upgrade to nothing known': get('/v1/pets', 'Transfer-Encoding: \x0bchunked'),
  };
  Object.entries(malformed).forEach(([title, bytes]) => {
    it(`answers ${title}: 400`, async () => {
      const answer = await service.exchangeOne(bytes, nothing);
      expect(answer.status).to.equal(400);
      expect(answer.code).to.equal('malformed_request');
    });
  });

  it('answers two Authorization headers with 400 also where neither is a key, beside /v1 too', async () => {
    for (const target of ['/v1/pets', '/v1/nothing', '/livez']) {
      const bytes = lines(
        `GET ${target} HTTP/1.1`,
        'Host: a',
        'Connection: close',
        'Authorization: a',
        'Authorization: b',
      );
      expect((await service.exchangeOne(bytes, nothing)).status, target).to.equal(400);
    }
  });

  it('answers a malformed chunk: 400', async () => {
    const head = lines(
      'POST /v1/pets HTTP/1.1',
      'Host: localhost',
      authorization,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    );
    for (const chunks of [
      'zz\r\n',
      '-1\r\n',
      '0x5\r\nhello\r\n',
      '5\r\nhelloX\r\n0\r\n\r\n',
      'fffffffffffffffffff\r\n',
      '5 \n',
    ]) {
      const answer = await service.exchangeOne(`${head}${chunks}`, { method: 'POST', target: '/v1/pets' });
      expect([answer.status, answer.code], chunks).to.deep.equal([400, 'malformed_request']);
    }
  });

  it('answers a head over 16 KiB: 431', async () => {
    for (const bytes of [
      get('/v1/pets', `Colour: ${'x'.repeat(20_000)}`),
      get(`/v1/pets?${'x'.repeat(20_000)}`),
    ]) {
      const answer = await service.exchangeOne(bytes, list);
      expect([answer.status, answer.code]).to.deep.equal([431, 'headers_too_large']);
    }
    const many = Array.from({ length: 4_000 }, (_, index) => `X${index}: y`);
    const answer = await service.exchangeOne(get('/v1/pets', ...many), list);
    expect([answer.status, answer.code]).to.deep.equal([431, 'headers_too_large']);
  });

  it('loses no header among many', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `X${index}: y`);
    const twice = [...many, 'Authorization: Bearer wrong'];
    expect((await service.exchangeOne(get('/v1/pets', ...many), list)).status).to.equal(200);
    expect((await service.exchangeOne(get('/v1/pets', ...twice), list)).status).to.equal(400);
    const late = lines(
      'GET /v1/pets HTTP/1.1',
      'Host: localhost',
      'Connection: close',
      ...many,
      authorization,
    );
    expect((await service.exchangeOne(late, list)).status).to.equal(200);
    const hosts = lines(
      'GET /v1/pets HTTP/1.1',
      'Host: localhost',
      'Connection: close',
      authorization,
      ...many,
      'Host: other',
    );
    expect((await service.exchangeOne(hosts, list)).status).to.equal(400);
  });

  it('answers an Expect that it can not meet: 417', async () => {
    for (const expectation of ['a miracle', '100-continue, x', '200-ok']) {
      const answer = await service.get('/v1/pets', { headers: { Expect: expectation } });
      expect([answer.status, answer.code], expectation).to.deep.equal([417, 'expectation_failed']);
    }
    expect((await service.get('/livez', { headers: { Expect: 'a miracle' } })).status).to.equal(417);
  });

  it('answers CONNECT: 405', async () => {
    for (const target of ['example.org:443', '/v1/pets', 'localhost']) {
      const bytes = lines(`CONNECT ${target} HTTP/1.1`, 'Host: localhost', authorization);
      const answer = await service.exchangeOne(bytes, { method: 'CONNECT', target });
      expect([answer.status, answer.code], target).to.deep.equal([405, 'method_not_allowed']);
    }
  });

  it('switches to no other protocol', async () => {
    const bytes = get('/v1/pets').replace(
      'Connection: close',
      'Connection: Upgrade, close\r\nUpgrade: websocket',
    );
    expect((await service.exchangeOne(bytes, list)).status).to.equal(200);
    const h2c = get('/v1/pets').replace(
      'Connection: close',
      'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c',
    );
    expect((await service.exchangeOne(h2c, list)).status).to.equal(200);
  });

  it('takes the absolute form of a target', async () => {
    const { id } = await service.add({});
    for (const origin of [
      'http://localhost',
      'http://other.example:80',
      'HTTP://localhost',
      'https://localhost',
    ]) {
      expect((await service.get(`${origin}/v1/pets?limit=1`)).pets(), origin).to.have.length(1);
      expect((await service.get(`${origin}/v1/pets/${id}`)).pet().id, origin).to.equal(id);
      expect((await service.get(`${origin}/v1/pets`, { key: null })).status, origin).to.equal(401);
    }
  });

  const weird = [
    '//a@b[',
    '//v1/pets',
    '///v1/pets',
    '//localhost/v1/pets',
    '/\\v1/pets',
    '*',
    '/?/v1/pets',
    '/#/v1/pets',
  ].concat(
    [
      '/v1/pets#x/../..',
      '/v1%2Fpets',
      '/%76%31/pets%00',
      '/%',
      '/%ff',
      '/v1/..;/livez',
      '//[',
      '//]:x@',
      '/[::1',
      'http://',
    ],
    ['http://[/v1/pets', 'file:///etc/passwd', 'javascript:alert(1)', '?', '#'],
    [
      'mailto:a@b',
      'http://::',
      'http://a:b/',
      '//a:b',
      'http://localhost',
      '/v1/pets\\',
      '/%00',
      '/livez%00',
      '/livez#',
    ],
  );
  weird.forEach((target) => {
    it(`answers the target ${target} with a 4xx`, async () => {
      expect((await service.get(target)).status).to.be.within(400, 499);
      expect((await service.get(target, { key: null })).status).to.be.within(400, 499);
    });
  });

  it('takes no absolute form without a key, however strange its authority', async () => {
    for (const authority of ['', 'a:99999999', 'a@b:c@d', '[', 'localhost#', '%', 'v1', 'x\\y']) {
      const answer = await service.get(`http://${authority}/v1/pets`, { key: null });
      expect(answer.status, authority).to.be.within(400, 499);
    }
  });

  it('answers a malformed HEAD without a body', async () => {
    const bytes = get('/v1/pets', 'Co lour: red').replace(/^GET/, 'HEAD');
    expect((await service.exchangeOne(bytes, { method: 'HEAD', target: '' })).status).to.equal(400);
  });

  it('lets no encoded path under /v1 past authentication', async () => {
    for (const target of [
      '/%76%31/pets',
      '/v%31/pets',
      '/v1/%70ets',
      '/./v1/pets',
      '/x/../v1/pets',
      '//v1/pets',
      '/v1\\pets',
    ]) {
      const answer = await service.get(target, { key: null });
      expect(answer.status, target).to.be.oneOf([400, 401, 404]);
    }
  });

  it('answers OPTIONS *', async () => {
    const answer = await service.request('OPTIONS', '*', { key: null });
    expect(answer.status).to.be.within(400, 499);
  });

  it('answers HTTP/1.0, with and without a Host', async () => {
    for (const host of [['Host: localhost'], []]) {
      const answer = await service.exchangeOne(lines('GET /livez HTTP/1.0', ...host), live);
      expect(answer.status).to.equal(200);
    }
  });

  it('takes a body with GET for no request of its own', async () => {
    const smuggled = requestBytes('GET', '/v1/pets');
    const bytes = Buffer.concat([Buffer.from(get('/livez', `Content-Length: ${smuggled.length}`)), smuggled]);
    expect((await service.exchangeOne(bytes, live)).status).to.equal(200);
  });

  it('answers nothing that is smuggled behind a doubtful length', async () => {
    const smuggled = keptAlive('/v1/pets');
    for (const headers of [
      ['Content-Length: 4', 'Transfer-Encoding: chunked'],
      ['Content-Length: 4', 'Content-Length: 0'],
      ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    ]) {
      const head = lines(
        'POST /v1/pets HTTP/1.1',
        'Host: localhost',
        authorization,
        'Content-Type: application/json',
        ...headers,
      );
      const answers = await service.exchange(`${head}0\r\n\r\n${smuggled}`, [nothing]);
      expect(answers.map(({ status }) => status)).to.deep.equal([400]);
    }
  });

  describe('pipelined requests', () => {
    it('get their own answers, in order', async () => {
      const ids: Array<bigint> = [];
      for (let count = 0; count < 5; count += 1)
        ids.push((await service.add({ name: `animal ${count}` })).id);
      const targets = ids.flatMap((id) => [
        `/v1/pets/${id}`,
        '/livez',
        `/v1/pets?after=${id - 1n}&limit=1`,
        '/nothing',
      ]);
      const answers = await service.exchange(
        `${targets.map(keptAlive).join('')}${get('/readyz')}`,
        [...targets, '/readyz'].map((target) => ({ method: 'GET', target })),
      );
      ids.forEach((id, index) => {
        expect(answers[index * 4]?.pet().id).to.equal(id);
        expect(answers[index * 4 + 1]?.json).to.deep.equal({ status: 'live' });
        expect(answers[index * 4 + 2]?.pets()[0]?.id).to.equal(id);
        expect(answers[index * 4 + 3]?.status).to.equal(404);
      });
      expect(answers.at(-1)?.json).to.deep.equal({ status: 'ready' });
    });

    it('get their own answers, each under its own key', async () => {
      const wrong = keptAlive('/v1/pets?limit=1').replace(apiKeys.first, 'wrong');
      const bytes = `${keptAlive('/v1/pets?limit=1')}${wrong}${get('/v1/pets?limit=1')}`;
      const answers = await service.exchange(bytes, [list, list, list]);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 401, 200]);
    });

    const lastRequests: Readonly<Record<string, string>> = {
      'is nonsense': 'nonsense\r\n\r\n',
      'has a malformed header': lines('GET / HTTP/1.1', 'Co lour: x'),
      'has no Host': lines('GET /livez HTTP/1.1', 'Connection: close'),
      'has two Hosts': lines('GET /livez HTTP/1.1', 'Host: a', 'Host: b', 'Connection: close'),
    };
    Object.entries(lastRequests).forEach(([title, last]) => {
      it(`get their own answers where a later one ${title}`, async () => {
        const body = '{"name":"Rex","categoryId":7}';
        const headers = [authorization, 'Content-Type: application/json', `Content-Length: ${body.length}`];
        const create = `${lines('POST /v1/pets HTTP/1.1', 'Host: localhost', ...headers)}${body}`;
        const bytes = `${keptAlive('/v1/pets?limit=1')}${create}${keptAlive('/livez')}${last}`;
        const answers = await service.exchange(bytes, [
          list,
          { method: 'POST', target: '/v1/pets' },
          live,
          nothing,
        ]);
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 201, 200, 400]);
      });
    });

    it('are not answered behind one that closes the connection', async () => {
      const answers = await service.exchange(`${get('/livez')}${keptAlive('/readyz')}`, [live]);
      expect(answers).to.have.length(1);
    });
  });

  it('writes nothing that a client sent into the head of an answer', async () => {
    for (const value of [
      'a%0d%0aSet-Cookie:%20x',
      'a\\r\\nSet-Cookie: x',
      '%E5%98%8A%E5%98%8DSet-Cookie:x',
    ]) {
      await service.add({});
      await service.add({});
      const answer = await service.get(`/v1/pets?limit=1&x=${value.replace(/ /g, '%20')}`);
      expect(answer.header('Set-Cookie')).to.equal(undefined);
      const error = await service.get('/livez', { headers: { 'X-Request-Id': value } });
      expect(error.header('Set-Cookie')).to.equal(undefined);
    }
  });
});
