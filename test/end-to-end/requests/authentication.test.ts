import { expect } from 'chai';
import { apiKeys, describeService } from '../../support/service/service-under-test';

const { first, second } = apiKeys;

describeService('Authentication', (service) => {
  const listWith = (authorization: string) =>
    service.get('/v1/pets', { key: null, headers: { Authorization: authorization } });

  it('takes each key that is set, the scheme in any case, and spaces and tabs around both', async () => {
    for (const authorization of [`Bearer ${first}`, `bEaReR ${second}`, ` \tBearer   ${first}\t `]) {
      expect((await listWith(authorization)).status, authorization).to.equal(200);
    }
  });

  it('asks for a key where none was sent: WWW-Authenticate says Bearer, and no error', async () => {
    const answer = await service.get('/v1/pets', { key: null });
    expect([answer.status, answer.code]).to.deep.equal([401, 'unauthorized']);
    expect(answer.header('WWW-Authenticate')).to.equal('Bearer');
  });

  it('refuses a key that is none: WWW-Authenticate says error="invalid_token"', async () => {
    const unknown =
      'the API key is unknown, expired or revoked; ask the operator of the service for a valid key';
    const malformed =
      'malformed API key; a key may have only letters, digits and -._~+/, with = only at its end';
    for (const [key, message] of [
      ...[`${first}x`, first.slice(1), first.toUpperCase(), 'x'.repeat(8_000), '__proto__'].map(
        (key) => [key, unknown] as const,
      ),
      ...[`${first},${second}`, `${first} ${first}`, `"${first}"`, '\xff\xfe'].map(
        (key) => [key, malformed] as const,
      ),
    ]) {
      const answer = await service.get('/v1/pets', { key });
      expect([answer.status, answer.message], key).to.deep.equal([401, message]);
      expect(answer.header('WWW-Authenticate'), key).to.equal('Bearer error="invalid_token"');
    }
  });

  it('takes no other scheme and no malformed header', async () => {
    const basic = `Basic ${Buffer.from(`x:${first}`).toString('base64')}`;
    for (const authorization of [
      ...['', 'Bearer', 'Bearer ', `Bearer${first}`, basic, `Token ${first}`, first, `Bearer: ${first}`],
      ...[`Bearer "${first}"`, `${basic}, Bearer ${first}`, `\xa0Bearer ${first}`, `Bearer ${first}\xa0`],
    ]) {
      const answer = await listWith(authorization);
      expect([answer.status, answer.code], authorization).to.deep.equal([401, 'unauthorized']);
    }
  });

  it('says that the scheme stands twice', async () => {
    const answer = await listWith(`bearer  BEARER ${first}`);
    expect([answer.status, answer.message]).to.deep.equal([
      401,
      'Bearer appears twice in Authorization; send it once',
    ]);
  });

  it('takes no key from anywhere but Authorization', async () => {
    for (const query of [`access_token=${first}`, `Authorization=Bearer%20${first}`]) {
      expect((await service.get(`/v1/pets?${query}`, { key: null })).status, query).to.equal(401);
    }
    const headers = { 'X-API-Key': first, Cookie: `key=${first}`, 'Proxy-Authorization': `Bearer ${first}` };
    expect((await service.get('/v1/pets', { key: null, headers })).status).to.equal(401);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await service.create(`access_token=${first}`, { key: null, headers: form })).status).to.equal(
      401,
    );
  });

  it('comes first under /v1, for unknown paths and methods and bad input too', async () => {
    for (const [method, target] of [
      ['GET', '/v1'],
      ['GET', '/v1/'],
      ['GET', '/v1?x'],
      ['GET', '/v1/nothing'],
      ['GET', '/v1/PETS'],
      ['GET', '/v1/pets?limit=0'],
      ['GET', '/v1/pets/abc'],
      ['GET', '/v1/%'],
      ['GET', '/v1//pets'],
      ['DELETE', '/v1/pets'],
      ['OPTIONS', '/v1/pets'],
      ['HEAD', '/v1/pets'],
      ['PROPFIND', '/v1/pets'],
    ] as const) {
      for (const key of [null, 'wrong']) {
        const answer = await service.request(method, target, { key });
        expect(answer.status, `${method} ${target}`).to.equal(401);
      }
    }
  });

  it('comes before every check of the body and of an Idempotency-Key', async () => {
    for (const [type, body] of [
      ['application/json', '{'],
      ['application/json', 'x'.repeat(200_000)],
      ['text/plain', 'x'],
    ] as const) {
      const headers = { 'Content-Type': type, 'Idempotency-Key': 'two words' };
      const answer = await service.create(body, { key: 'wrong', headers });
      expect(answer.status, `${type} ${body.length}`).to.equal(401);
    }
  });

  it('comes before a byte of the body is asked for or read', async () => {
    for (const expectation of ['Expect: 100-continue', 'Accept: */*']) {
      const connection = service.connect();
      const type = 'Content-Type: application/json\r\nContent-Length: 50';
      connection.send(`POST /v1/pets HTTP/1.1\r\nHost: a\r\n${type}\r\n${expectation}\r\n\r\n`);
      const [answer] = await service.answersOn(connection, [{ method: 'POST', target: '/v1/pets' }]);
      expect(answer?.status).to.equal(401);
      expect((await connection.closed()).toString()).not.to.include('HTTP/1.1 100');
    }
  });

  it('is not asked for beside /v1', async () => {
    expect((await service.get('/livez', { key: 'wrong' })).status).to.equal(200);
    for (const target of ['/nothing', '/v1x']) {
      expect((await service.get(target, { key: null })).status, target).to.equal(404);
    }
  });
});
