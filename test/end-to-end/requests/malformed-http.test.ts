import { expect } from 'chai';
import { headOf } from '../../support/http/raw-connection';
import { authorization, describeService, getText } from '../../support/service/service-under-test';

const list = { method: 'GET', target: '/v1/pets' };
const live = { method: 'GET', target: '/livez' };
const nothing = { method: '', target: '' };

const getAt = (host: string) =>
  headOf('GET /livez HTTP/1.1', `Host: ${host}`, authorization, 'Connection: close');

const headersOf = (count: number) => Array.from({ length: count }, (_, index) => `X${index}: y`);

/** Bytes that are no request. The keys are the status and code of their response, and then what is wrong with them. */
const malformed = {
  '400 malformed_request': {
    'a line that is no request': headOf('nonsense'),
    'a TLS hello': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
    'a target with a space': getText('/v1/pets x'),
    'a target with a control character': getText('/v1/pets\x01'),
    'a target with a backslash and a no-break space': getText('/v1\\pets\xa0'),
    'a target with a no-break space behind what looks like a user': getText('//%@x/\xa0'),
    'no target': headOf('GET HTTP/1.1', 'Host: localhost'),
    'an unknown method': headOf('BREW /v1/pets HTTP/1.1', 'Host: localhost', authorization),
    'a version that is none': headOf('GET /v1/pets HTTP/9.9', 'Host: localhost'),
    'the protocol of another service': headOf('GET /v1/pets ICY/1.0', 'Host: localhost'),
    'a header with a NUL': getText('/v1/pets', 'Colour: r\0d'),
    'a header with a space before the colon': getText('/livez', 'Authorization : b'),
    'a header with a space in its name': getText('/livez', 'Co lour: red'),
    'a header without a name': getText('/livez', ': red'),
    'a head whose last LF is missing': getText('/livez').replace(/\n\r\n$/, '\n\rX'),
    'a folded header': getText('/v1/pets', 'Colour: red', ' blue'),
    'no Host': headOf('GET /v1/pets HTTP/1.1', authorization, 'Connection: close'),
    'two Hosts': getText('/v1/pets', 'Host: other'),
    'two Hosts among many headers': getText('/v1/pets', ...headersOf(124), 'Host: other'),
    'a Host with a path': getAt('a/b'),
    'a Host with a user': getAt('me@a'),
    'a Host with a space': getAt('a b'),
    'a Host with two ports': getAt('a:1:2'),
    'two Authorizations': getText('/livez', 'Authorization: b'),
  },
  '505 http_version_not_supported': {
    'HTTP/2.0': headOf('GET /v1/pets HTTP/2.0', 'Host: localhost', authorization),
    'HTTP/0.9, which names none': 'GET /v1/pets\r\n\r\n',
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  },
  '431 headers_too_large': {
    'a long target': getText(`/v1/pets?${'x'.repeat(20_000)}`),
    '4,000 headers': getText('/v1/pets', ...headersOf(4_000)),
    '129 headers': headOf('GET /v1/pets HTTP/1.1', 'Host: localhost', ...headersOf(128)),
    '600 headers before Host': headOf('GET /v1/pets HTTP/1.1', ...headersOf(600), 'Host: localhost'),
  },
  '417 expectation_failed': {
    'a miracle': getText('/livez', 'Expect: a miracle'),
    'more than 100-continue': getText('/livez', 'Expect: 100-continue, x'),
  },
};

describeService('Malformed and unusual HTTP', (service) => {
  afterEach('the service still answers', async () => {
    expect((await service.get('/livez')).status).to.equal(200);
  });

  for (const [expected, requests] of Object.entries(malformed)) {
    for (const [title, bytes] of Object.entries<string>(requests)) {
      it(`answers ${expected} to ${title}`, async () => {
        const { status, code, header } = await service.exchangeOne(bytes, nothing);
        expect(`${status} ${code}`).to.equal(expected);
        expect(header('Connection')).to.equal('close');
      });
    }
  }

  for (const [bytes, fault] of [
    [getText('/v1/pets', 'Colour'), 'invalid header token'],
    [getText('/v1/pets', 'Content-Length: -1'), 'invalid character in Content-Length'],
    [getText('/v1/pets', 'Content-Length: 99999999999999999999999'), 'Content-Length overflow'],
  ] as const) {
    it(`names the fault that the parser found: ${fault}`, async () => {
      const { code, message } = await service.exchangeOne(bytes, nothing);
      expect([code, message]).to.deep.equal([
        'malformed_request',
        `the request is not valid HTTP/1.1: ${fault}`,
      ]);
    });
  }

  it('says that the connection ended before the request was complete', async () => {
    const connection = service.connect();
    connection.send('GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n');
    connection.end();
    const [answer] = await service.answersOn(connection, [nothing]);
    expect([answer?.status, answer?.message]).to.deep.equal([
      400,
      'the connection ended before the request was complete; send all of its headers and body',
    ]);
  });

  it('takes no request after a body whose last LF is missing', async () => {
    const connection = service.connect();
    const head = getText('/livez', 'Transfer-Encoding: chunked').replace('Connection: close\r\n', '');
    connection.send(`${head}0\r\n\rX`);
    await connection.received(/^HTTP\/1\.1 (200|400) /);
    connection.send(head);
    const bytes = await connection.closed();
    expect(bytes.toString().match(/HTTP\/1\.1 \d{3} /g)).to.have.lengthOf(1);
  });

  it('takes the last of 128 headers', async () => {
    const bytes = headOf(
      'GET /v1/pets HTTP/1.1',
      'Host: localhost',
      'Connection: close',
      ...headersOf(124),
      authorization,
    );
    expect((await service.exchangeOne(bytes, list)).status).to.equal(200);
  });

  it('answers a malformed HEAD without a body', async () => {
    const bytes = getText('/v1/pets', 'Co lour: red').replace(/^GET/, 'HEAD');
    expect((await service.exchangeOne(bytes, { method: 'HEAD', target: '' })).status).to.equal(400);
    const answers = await service.exchange(headOf('GET /livez HTTP/1.1', 'Host: localhost') + bytes, [
      live,
      { method: 'HEAD', target: '' },
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 400]);
  });

  it('answers HTTP/1.0, with and without a Host', async () => {
    for (const host of [['Host: localhost'], []]) {
      const answer = await service.exchangeOne(headOf('GET /livez HTTP/1.0', ...host), live);
      expect(answer.status).to.equal(200);
    }
  });

  it('answers whoever names a host in any form that there is', async () => {
    for (const host of [
      '',
      'animals.example',
      'a:',
      '127.0.0.1:80',
      '[::1]:3000',
      '[v1.a:b]',
      'A_b',
      'a%20b',
    ]) {
      expect((await service.exchangeOne(getAt(host), live)).status, host).to.equal(200);
    }
  });
});
