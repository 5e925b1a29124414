import { expect } from 'chai';
import { apiKeys, describeService, getText, keptAliveText } from '../../support/service/service-under-test';

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

  it('takes no other scheme, no malformed header, and no key from anywhere else', async () => {
    const basic = `Basic ${Buffer.from(`x:${first}`).toString('base64')}`;
    for (const authorization of [
      ...['', 'Bearer', 'Bearer ', `Bearer${first}`, basic, `Token ${first}`, first, `Bearer: ${first}`],
      ...[`Bearer "${first}"`, `${basic}, Bearer ${first}`, `\xa0Bearer ${first}`, `Bearer ${first}\xa0`],
    ]) {
      const answer = await listWith(authorization);
      expect([answer.status, answer.code], authorization).to.deep.equal([401, 'unauthorized']);
    }
    const headers = { 'X-API-Key': first, Cookie: `key=${first}`, 'Proxy-Authorization': `Bearer ${first}` };
    const target = `/v1/pets?access_token=${first}&Authorization=Bearer%20${first}`;
    expect((await service.get(target, { key: null, headers })).status).to.equal(401);
  });

  it('says that the scheme stands twice', async () => {
    const { message } = await listWith(`bearer  BEARER ${first}`);
    expect(message).to.equal('Bearer appears twice in Authorization; send it once');
  });

  it('comes first under /v1, for unknown paths and methods and bad input too', async () => {
    const targets = ['/v1', '/v1/', '/v1?x', '/v1/nothing', '/v1/PETS', '/v1/pets?limit=0', '/v1/pets/abc']
      .concat('/v1/%', '/v1//pets')
      .map((target) => ['GET', target] as const);
    const methods = ['DELETE', 'OPTIONS', 'HEAD', 'PROPFIND'].map((method) => [method, '/v1/pets'] as const);
    for (const [method, target] of [...targets, ...methods]) {
      for (const key of [null, 'wrong']) {
        const answer = await service.request(method, target, { key });
        expect(answer.status, `${method} ${target}`).to.equal(401);
      }
    }
  });

  it('comes before a byte of the body is asked for, read or checked', async () => {
    for (const [expectation, body] of [
      ['Expect: 100-continue', ''],
      ['Accept: */*', ''],
      ['Idempotency-Key: two words', '{'],
    ] as const) {
      const connection = service.connect();
      const lines = `Content-Type: text/plain\r\nContent-Length: 50\r\n${expectation}`;
      connection.send(`POST /v1/pets HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n${body}`);
      const [answer] = await service.answersOn(connection, [{ method: 'POST', target: '/v1/pets' }]);
      expect(answer?.status).to.equal(401);
      expect((await connection.closed()).toString()).not.to.include('HTTP/1.1 100');
    }
  });

  it('is of each pipelined request its own', async () => {
    const kept = keptAliveText('/v1/pets?limit=1');
    const bytes = `${kept}${kept.replace(first, 'wrong')}${getText('/v1/pets?limit=1')}`;
    const list = { method: 'GET', target: '/v1/pets' };
    const answers = await service.exchange(bytes, [list, list, list]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 401, 200]);
  });

  it('is not asked for beside /v1', async () => {
    expect((await service.get('/livez', { key: 'wrong' })).status).to.equal(200);
    expect((await service.get('/v1x', { key: null })).status).to.equal(404);
  });
});
