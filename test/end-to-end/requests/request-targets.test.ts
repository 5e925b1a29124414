import { expect } from 'chai';
import { headOf } from '../../support/http/raw-connection';
import { declaredMethods } from '../../support/openapi/declared-methods';
import { describeService } from '../../support/service/service-under-test';

describeService('Methods and targets of every form', (service) => {
  afterEach('the service still answers', async () => {
    expect((await service.get('/livez')).status).to.equal(200);
  });

  it('answers CONNECT: 405, with Allow and its own X-Request-Id', async () => {
    for (const target of ['example.org:443', '/v1/pets', 'localhost']) {
      const answer = await service.request('CONNECT', target, { headers: { 'X-Request-Id': target } });
      expect([answer.status, answer.code], target).to.deep.equal([405, 'method_not_allowed']);
      expect(answer.header('Allow')?.split(', ')).to.have.members(declaredMethods());
      expect(answer.header('X-Request-Id')).to.equal(target);
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

  it('takes the absolute form of a target, and names no host of it in a link', async () => {
    const { id } = await service.add({});
    await service.add({});
    for (const origin of ['http://localhost', 'HTTP://other.example:80', 'https://user:word@localhost:1']) {
      const page = await service.get(`${origin}/v1/pets?limit=1`);
      expect(page.header('Link'), origin).to.match(/^<\?limit=1&after=[0-9]+>; rel="next"$/);
      expect((await service.get(`${origin}/v1/pets/${id}`)).pet().id, origin).to.equal(id);
      expect((await service.get(`${origin}/v1/pets`, { key: null })).status, origin).to.equal(401);
    }
    const start = await service.get('http://localhost?/v1/pets');
    expect([start.status, start.header('Content-Type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
  });

  it('takes the host of an absolute target, not that of the Host header', async () => {
    const document = await service.get('http://other.example:8080/openapi.json');
    expect(document.text).to.contain('http://other.example:8080/v1');
    const withUser = await service.get('http://someone:secret@other.example/openapi.json');
    expect(withUser.text).to.contain('http://other.example/v1').and.not.contain('someone');
  });

  it('reads the path of an address as it would read the path alone', async () => {
    const { id } = await service.add({});
    for (const path of [`/v1/x/../pets/${id}`, `/v1/%2e%2e/v1/pets/${id}`, `//v1/pets/${id}`]) {
      expect((await service.get(path)).status, path).to.equal(404);
      expect((await service.get(`http://localhost${path}`)).status, path).to.equal(404);
    }
  });

  for (const target of [
    ...['//a@b[', '//v1/pets', '//localhost/v1/pets', '/\\v1/pets', '*', '/#/v1/pets', '/v1/pets#x/../..'],
    ...['/v1%2Fpets', '/%76%31/pets', '/v%31/pets', '/v1/%70ets', '/./v1/pets', '/x/../v1/pets', '/v1\\pets'],
    ...['/%', '/%ff', '/v1/..;/livez', '//[', '//]:x@', '/[::1', '/%00', '/livez%00', '/livez#', '?', '#'],
    ...['http://', 'http://[/v1/pets', 'http://::', 'http://a:b/', '//a:b', 'file:///a', 'mailto:a@b'],
    ...['', 'a:99999999', 'a@b:c@d', 'localhost#', '%', 'x\\y'].map((host) => `http://${host}/v1/pets`),
  ]) {
    it(`answers the target ${target} with a 4xx`, async () => {
      expect((await service.get(target, { key: null })).status).to.be.within(400, 499);
      if (!target.startsWith('http://')) expect((await service.get(target)).status).to.be.within(400, 499);
    });
  }
});
