import { expect } from 'chai';
import { headOf } from '../../support/http/raw-connection';
import {
  apiKeys,
  authorization,
  describeService,
  getText,
  keptAliveText,
  requestBytes,
} from '../../support/service/service-under-test';

const list = { method: 'GET', target: '/v1/pets' };
const live = { method: 'GET', target: '/livez' };
const nothing = { method: '', target: '' };

const create = (name: string): string =>
  requestBytes('POST', '/v1/pets', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 7 }),
  })
    .toString()
    .replace('Connection: close\r\n', '');

describeService('Pipelined requests', (service) => {
  it('get their own answers, in order', async () => {
    const ids: Array<bigint> = [];
    for (let count = 0; count < 5; count += 1) ids.push((await service.add({ name: `animal ${count}` })).id);
    const targets = ids.flatMap((id) => [
      `/v1/pets/${id}`,
      '/livez',
      `/v1/pets?after=${id - 1n}&limit=1`,
      '/nothing',
    ]);
    const answers = await service.exchange(
      `${targets.map(keptAliveText).join('')}${getText('/readyz')}`,
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
    const wrong = keptAliveText('/v1/pets?limit=1').replace(apiKeys.first, 'wrong');
    const bytes = `${keptAliveText('/v1/pets?limit=1')}${wrong}${getText('/v1/pets?limit=1')}`;
    const answers = await service.exchange(bytes, [list, list, list]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 401, 200]);
  });

  const lastRequests: Readonly<Record<string, string>> = {
    'is nonsense': 'nonsense\r\n\r\n',
    'has no Host': headOf('GET /livez HTTP/1.1', 'Connection: close'),
  };
  Object.entries(lastRequests).forEach(([title, last]) => {
    it(`get their own answers where a later one ${title}`, async () => {
      const bytes = `${keptAliveText('/v1/pets?limit=1')}${create('Rex')}${keptAliveText('/livez')}${last}`;
      const answers = await service.exchange(bytes, [
        list,
        { method: 'POST', target: '/v1/pets' },
        live,
        nothing,
      ]);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 201, 200, 400]);
    });
  });

  it('get an Error body where the first is a HEAD, and the broken one is none', async () => {
    const head = keptAliveText('/livez').replace(/^GET/, 'HEAD');
    const asked = [{ method: 'HEAD', target: '/livez' }, nothing];
    const answers = await service.exchange(`${head}nonsense\r\n\r\n`, asked);
    expect(answers.map(({ status, code }) => [status, code])).to.deep.equal([
      [200, ''],
      [400, 'malformed_request'],
    ]);
  });

  it('get no body for a HEAD whose own body is broken', async () => {
    const live = keptAliveText('/livez');
    const headers = [authorization, 'Transfer-Encoding: chunked'];
    const broken = headOf('HEAD /v1/pets HTTP/1.1', 'Host: localhost', ...headers);
    const connection = service.connect();
    connection.send(live);
    await connection.received(/"live"/);
    connection.send(`${broken}zz\r\n`);
    const asked = [
      { method: 'GET', target: '/livez' },
      { method: 'HEAD', target: '/v1/pets' },
    ];
    const answers = await service.answersOn(connection, asked);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 400]);
  });

  it('are not done behind one that closes the connection', async () => {
    expect(await service.exchange(`${getText('/livez')}${create('behind')}`, [live])).to.have.length(1);
    expect(await service.exchange(`${keptAliveText('*')}${create('behind')}`, [nothing])).to.have.length(1);
    expect((await service.get('/v1/pets?limit=100')).text).not.to.include('behind');
  });

  it('are not answered behind one that closes the connection, broken ones neither', async () => {
    const behind = ['nonsense\r\n\r\n', keptAliveText('%00'), `${keptAliveText('/livez')}nonsense`];
    for (const more of behind) {
      expect(await service.exchange(`${getText('/livez')}${more}`, [live]), more).to.have.length(1);
      expect(await service.exchange(`${keptAliveText('*')}${more}`, [nothing]), more).to.have.length(1);
    }
  });
});
