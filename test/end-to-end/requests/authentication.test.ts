import { expect } from 'chai';
import { apiKeys, describeService } from '../../support/service/service-under-test';

describeService('Authentication', (service) => {
  const listWith = (authorization: string) =>
    service.get('/v1/pets', { key: null, headers: { Authorization: authorization } });

  it('takes each key that is set, and the scheme in any case', async () => {
    for (const authorization of [
      `Bearer ${apiKeys.first}`,
      `Bearer ${apiKeys.second}`,
      `bearer ${apiKeys.first}`,
      `BEARER ${apiKeys.first}`,
      `bEaReR ${apiKeys.second}`,
    ]) {
      expect((await listWith(authorization)).status, authorization).to.equal(200);
    }
  });

  it('asks for a key where none was sent: WWW-Authenticate says Bearer, and no error', async () => {
    const answer = await service.get('/v1/pets', { key: null });
    expect([answer.status, answer.code]).to.deep.equal([401, 'unauthorized']);
    expect(answer.header('WWW-Authenticate')).to.match(/^Bearer\b/);
    expect(answer.header('WWW-Authenticate')).not.to.include('error');
  });

  it('refuses a key that is none: WWW-Authenticate says error="invalid_token"', async () => {
    const wrong = ['wrong', `${apiKeys.first}x`, apiKeys.first.slice(1), apiKeys.first.toUpperCase()].concat(
      [
        `${apiKeys.first},${apiKeys.second}`,
        `${apiKeys.first}%00`,
        'x'.repeat(8_000),
        "' OR 1=1 --",
        'undefined',
      ],
      ['null', '__proto__', 'constructor', `${apiKeys.first} ${apiKeys.first}`, '\xff\xfe'],
    );
    for (const key of wrong) {
      const answer = await service.get('/v1/pets', { key });
      expect([answer.status, answer.code], key).to.deep.equal([401, 'unauthorized']);
      expect(answer.header('WWW-Authenticate'), key).to.match(/^Bearer\b.*\berror="invalid_token"/);
      expect(answer.text).not.to.include(key.slice(0, 100));
    }
  });

  it('takes no other scheme and no malformed header', async () => {
    const basic = Buffer.from(`x:${apiKeys.first}`).toString('base64');
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      `Bearer${apiKeys.first}`,
      `Basic ${basic}`,
      `Token ${apiKeys.first}`,
      apiKeys.first,
      `Bearer: ${apiKeys.first}`,
      `Bearer "${apiKeys.first}"`,
      `Basic ${basic}, Bearer ${apiKeys.first}`,
    ]) {
      const answer = await listWith(authorization);
      expect([answer.status, answer.code], authorization).to.deep.equal([401, 'unauthorized']);
    }
  });

  it('takes spaces and tabs around the credentials, and no other blank', async () => {
    const key = apiKeys.first;
    expect((await listWith(` \tBearer   ${key}\t `)).status).to.equal(200);
    expect((await listWith(`\xa0Bearer ${key}`)).status).to.equal(401);
    expect((await listWith(`Bearer ${key}\xa0`)).status).to.equal(401);
  });

  it('says that the scheme stands twice', async () => {
    for (const twice of ['Bearer Bearer', 'bearer  BEARER']) {
      const answer = await listWith(`${twice} ${apiKeys.first}`);
      expect([answer.status, answer.message]).to.deep.equal([
        401,
        'Bearer appears twice in Authorization; send it once',
      ]);
    }
  });

  it('takes no key from anywhere but Authorization', async () => {
    const key = apiKeys.first;
    for (const query of [
      `access_token=${key}`,
      `api_key=${key}`,
      `key=${key}`,
      `Authorization=Bearer%20${key}`,
    ]) {
      expect((await service.get(`/v1/pets?${query}`, { key: null })).status, query).to.equal(401);
    }
    for (const headers of [
      { 'X-API-Key': key },
      { Cookie: `key=${key}` },
      { 'Proxy-Authorization': `Bearer ${key}` },
    ]) {
      expect((await service.get('/v1/pets', { key: null, headers })).status).to.equal(401);
    }
    const form = {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `access_token=${key}`,
    };
    expect((await service.request('POST', '/v1/pets', { key: null, ...form })).status).to.equal(401);
  });

  it('comes first under /v1, for unknown paths and methods and bad input too', async () => {
    const requests = [
      ['GET', '/v1'],
      ['GET', '/v1/'],
      ['GET', '/v1?x'],
      ['GET', '/v1/nothing'],
      ['GET', '/v1/pets/'],
      ['GET', '/v1/PETS'],
      ['GET', '/v1/pets?limit=0'],
      ['GET', '/v1/pets/abc'],
      ['GET', '/v1/pets/1/2'],
      ['GET', '/v1/%'],
      ['GET', '/v1//pets'],
      ['GET', '/v1/openapi.json'],
      ['DELETE', '/v1/pets'],
      ['PATCH', '/v1/pets/1'],
      ['OPTIONS', '/v1/pets'],
      ['HEAD', '/v1/pets'],
      ['PROPFIND', '/v1/pets'],
    ] as const;
    for (const [method, target] of requests) {
      for (const key of [null, 'wrong']) {
        const answer = await service.request(method, target, { key });
        expect(answer.status, `${method} ${target}`).to.equal(401);
      }
    }
  });

  it('comes before every check of the body', async () => {
    for (const [type, body] of [
      ['application/json', '{'],
      ['application/json', '{}'],
      ['application/json', 'x'.repeat(200_000)],
      ['text/plain', 'x'],
    ] as const) {
      const answer = await service.create(body, { key: 'wrong', headers: { 'Content-Type': type } });
      expect(answer.status, `${type} ${body.length}`).to.equal(401);
    }
    const keyed = { key: null, headers: { 'Idempotency-Key': 'malformed' } };
    expect((await service.create('{}', keyed)).status).to.equal(401);
  });

  it('comes before a byte of the body is asked for or read', async () => {
    const lines = [
      'POST /v1/pets HTTP/1.1',
      'Host: localhost',
      'Authorization: Bearer wrong',
      'Connection: close',
    ];
    const json = 'Content-Type: application/json';
    for (const body of [
      `${json}\r\nContent-Length: 50\r\nExpect: 100-continue`,
      `${json}\r\nContent-Length: 50`,
    ]) {
      const connection = service.connect();
      connection.send([...lines, body, '', ''].join('\r\n'));
      const [answer] = await service.answersOn(connection, [{ method: 'POST', target: '/v1/pets' }]);
      expect(answer?.status).to.equal(401);
      expect((await connection.closed()).toString()).not.to.include('HTTP/1.1 100');
    }
  });

  it('is not asked for beside /v1', async () => {
    for (const target of ['/livez', '/readyz', '/openapi.json']) {
      expect((await service.get(target, { key: null })).status, target).to.equal(200);
      expect((await service.get(target, { key: 'wrong' })).status, target).to.equal(200);
    }
    expect((await service.get('/nothing', { key: null })).status).to.equal(404);
    expect((await service.get('/v1x', { key: null })).status).to.equal(404);
  });

  it('does not hang on how much of a key is right', async () => {
    const answers = await Promise.all(
      ['f', apiKeys.first.slice(0, -1), 'wrong'].map((key) => service.get('/v1/pets', { key })),
    );
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
  });
});
