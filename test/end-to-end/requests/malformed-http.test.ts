import { expect } from 'chai';
import {
  apiKeys,
  authorization,
  describeService,
  getText,
  headOf,
  requestBytes,
} from '../../support/service/service-under-test';

const list = { method: 'GET', target: '/v1/pets' };
const live = { method: 'GET', target: '/livez' };
const nothing = { method: '', target: '' };

describeService('Malformed and unusual HTTP', (service) => {
  afterEach('the service still answers', async () => {
    expect((await service.get('/livez')).status).to.equal(200);
  });

  const malformed: Readonly<Record<string, string>> = {
    'a line that is no request': headOf('nonsense'),
    'a TLS hello': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
    'a target with a space': getText('/v1/pets x'),
    'a target with a control character': getText('/v1/pets\x01'),
    'a target with a tab': getText('/v1/pets\t'),
    'a target with a form feed': getText('/v1/pets\f'),
    'a target with a no-break space': getText('/v1/pets\xa0'),
    'a target with a backslash and a no-break space': getText('/v1\\pets\xa0'),
    'a target with a no-break space behind what looks like a user': getText('//%@x/\xa0'),
    'a target with raw bytes past ASCII': getText('/v1/pets/\xff\xfe'),
    'no target': headOf('GET HTTP/1.1', 'Host: localhost'),
    'a lower-case method': headOf('get /v1/pets HTTP/1.1', 'Host: localhost'),
    'an unknown method': headOf('BREW /v1/pets HTTP/1.1', 'Host: localhost', authorization),
    'a version that is none': headOf('GET /v1/pets HTTP/9.9', 'Host: localhost'),
    'a version without a number': headOf('GET /v1/pets HTTP/x', 'Host: localhost'),
    'the protocol of another service': headOf('GET /v1/pets ICY/1.0', 'Host: localhost'),
    'a header without a colon': getText('/v1/pets', 'Colour'),
    'a header with a space in its name': getText('/v1/pets', 'Co lour: red'),
    'a header with a space before the colon': getText('/v1/pets', 'Colour : red'),
    'a header without a name': getText('/v1/pets', ': red'),
    'a header with a NUL': getText('/v1/pets', 'Colour: r\0d'),
    'a header with a DEL': getText('/v1/pets', 'Colour: r\x7fd'),
    'a header with a bare carriage return': getText('/v1/pets', 'Colour: r\rd: x'),
    'a folded header': getText('/v1/pets', 'Colour: red', ' blue'),
    'no Host': headOf('GET /v1/pets HTTP/1.1', authorization, 'Connection: close'),
    'two Hosts': getText('/v1/pets', 'Host: other'),
    'two equal Hosts': getText('/v1/pets', 'host: localhost'),
    'a Host with a path': headOf('GET /v1/pets HTTP/1.1', 'Host: a/b', authorization, 'Connection: close'),
    'a Host with a user': headOf('GET /v1/pets HTTP/1.1', 'Host: me@a', authorization, 'Connection: close'),
    'a Host with a space': headOf('GET /v1/pets HTTP/1.1', 'Host: a b', authorization, 'Connection: close'),
    'a Host with two ports': headOf(
      'GET /v1/pets HTTP/1.1',
      'Host: a:1:2',
      authorization,
      'Connection: close',
    ),
    'two Authorizations': getText('/v1/pets', 'Authorization: Bearer wrong'),
    'two equal Authorizations': getText(
      '/v1/pets',
      authorization.toLowerCase().replace(/bearer.*/, `Bearer ${apiKeys.first}`),
    ),
    'a negative Content-Length': getText('/v1/pets', 'Content-Length: -1'),
    'a Content-Length in hexadecimal': getText('/v1/pets', 'Content-Length: 0x1'),
    'a Content-Length past all bounds': getText('/v1/pets', 'Content-Length: 99999999999999999999999'),
    'a Transfer-Encoding that does not end chunked': getText('/v1/pets', 'Transfer-Encoding: chunked, gzip'),
    'chunked twice': getText('/v1/pets', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
  };
  Object.entries(malformed).forEach(([title, bytes]) => {
    it(`answers ${title}: 400`, async () => {
      const answer = await service.exchangeOne(bytes, nothing);
      expect(answer.status).to.equal(400);
      expect(answer.code).to.equal('malformed_request');
    });
  });

  for (const [title, bytes] of Object.entries({
    'HTTP/2.0': headOf('GET /v1/pets HTTP/2.0', 'Host: localhost', authorization),
    'HTTP/0.9, which names none': 'GET /v1/pets\r\n\r\n',
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  })) {
    it(`answers a request in another version than HTTP/1: 505 for ${title}`, async () => {
      const { status, code, header } = await service.exchangeOne(bytes, nothing);
      expect([status, code]).to.deep.equal([505, 'http_version_not_supported']);
      expect(header('Connection')).to.equal('close');
    });
  }

  it('answers two Authorization headers with 400 also where neither is a key, beside /v1 too', async () => {
    for (const target of ['/v1/pets', '/v1/nothing', '/livez']) {
      const bytes = headOf(
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
    const head = headOf(
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
      getText('/v1/pets', `Colour: ${'x'.repeat(20_000)}`),
      getText(`/v1/pets?${'x'.repeat(20_000)}`),
    ]) {
      const answer = await service.exchangeOne(bytes, list);
      expect([answer.status, answer.code]).to.deep.equal([431, 'headers_too_large']);
    }
    const many = Array.from({ length: 4_000 }, (_, index) => `X${index}: y`);
    const answer = await service.exchangeOne(getText('/v1/pets', ...many), list);
    expect([answer.status, answer.code]).to.deep.equal([431, 'headers_too_large']);
  });

  it('loses no header among many', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `X${index}: y`);
    const twice = [...many, 'Authorization: Bearer wrong'];
    expect((await service.exchangeOne(getText('/v1/pets', ...many), list)).status).to.equal(200);
    expect((await service.exchangeOne(getText('/v1/pets', ...twice), list)).status).to.equal(400);
    const late = headOf(
      'GET /v1/pets HTTP/1.1',
      'Host: localhost',
      'Connection: close',
      ...many,
      authorization,
    );
    expect((await service.exchangeOne(late, list)).status).to.equal(200);
    const hosts = headOf(
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

  it('answers a malformed HEAD without a body', async () => {
    const bytes = getText('/v1/pets', 'Co lour: red').replace(/^GET/, 'HEAD');
    expect((await service.exchangeOne(bytes, { method: 'HEAD', target: '' })).status).to.equal(400);
  });

  it('answers HTTP/1.0, with and without a Host', async () => {
    for (const host of [['Host: localhost'], []]) {
      const answer = await service.exchangeOne(headOf('GET /livez HTTP/1.0', ...host), live);
      expect(answer.status).to.equal(200);
    }
  });

  it('answers whoever names a host in any form that there is', async () => {
    const hosts = [
      '',
      'animals.example',
      'a:',
      'a:80',
      '127.0.0.1:3000',
      '[::1]:3000',
      '[v1.a:b]',
      'A_b',
      'a%20b',
    ];
    for (const host of hosts) {
      const bytes = headOf('GET /livez HTTP/1.1', `Host: ${host}`, 'Connection: close');
      expect((await service.exchangeOne(bytes, live)).status, host).to.equal(200);
    }
  });

  it('takes a body with GET for no request of its own', async () => {
    const smuggled = requestBytes('GET', '/v1/pets');
    const bytes = Buffer.concat([
      Buffer.from(getText('/livez', `Content-Length: ${smuggled.length}`)),
      smuggled,
    ]);
    expect((await service.exchangeOne(bytes, live)).status).to.equal(200);
  });
});
