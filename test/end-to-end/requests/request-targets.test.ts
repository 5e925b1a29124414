import { expect } from 'chai';
import { authorization, describeService, getText, headOf } from '../../support/service/service-under-test';

const list = { method: 'GET', target: '/v1/pets' };

describeService('Methods and targets of every form', (service) => {
  afterEach('the service still answers', async () => {
    expect((await service.get('/livez')).status).to.equal(200);
  });

  it('answers CONNECT: 405', async () => {
    for (const target of ['example.org:443', '/v1/pets', 'localhost']) {
      const bytes = headOf(`CONNECT ${target} HTTP/1.1`, 'Host: localhost', authorization);
      const answer = await service.exchangeOne(bytes, { method: 'CONNECT', target });
      expect([answer.status, answer.code], target).to.deep.equal([405, 'method_not_allowed']);
    }
  });

  it('outlives who asks for a tunnel and resets the connection', async () => {
    const tunnel = headOf('CONNECT example.org:443 HTTP/1.1', 'Host: localhost');
    for (let count = 0; count < 50; count += 1) {
      const connection = service.connect();
      connection.send(tunnel);
      connection.reset();
      await connection.closed();
      expect((await service.get('/livez')).status).to.equal(200);
    }
  });

  it('switches to no other protocol', async () => {
    const bytes = getText('/v1/pets').replace(
      'Connection: close',
      'Connection: Upgrade, close\r\nUpgrade: websocket',
    );
    expect((await service.exchangeOne(bytes, list)).status).to.equal(200);
    const h2c = getText('/v1/pets').replace(
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

  it('reads the path of an address as it would read the path alone', async () => {
    const { id } = await service.add({});
    for (const path of [
      `/v1/x/../pets/${id}`,
      `/v1/./pets/${id}`,
      `/v1/%2e%2e/v1/pets/${id}`,
      `//v1/pets/${id}`,
    ]) {
      const alone = await service.get(path);
      expect(alone.status, path).to.equal(404);
      expect((await service.get(`http://localhost${path}`)).status, path).to.equal(404);
    }
    const start = await service.get('http://localhost?/v1/pets');
    expect([start.status, start.header('Content-Type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
  });

  it('names no host in the address of the next page, as the client could have made it up', async () => {
    await service.add({});
    await service.add({});
    for (const origin of ['http://other.example', "http://a;rel='x',b@h", 'https://user:word@localhost:1']) {
      const answer = await service.get(`${origin}/v1/pets?limit=1`);
      expect(answer.header('Link'), origin).to.match(/^<\?limit=1&after=[0-9]+>; rel="next"$/);
    }
  });

  const weird = [
    '//a@b[',
    '//v1/pets',
    '///v1/pets',
    '//localhost/v1/pets',
    '/\\v1/pets',
    '*',
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
    ['mailto:a@b', 'http://::', 'http://a:b/', '//a:b', '/v1/pets\\', '/%00', '/livez%00', '/livez#'],
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
