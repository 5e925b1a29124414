import { expect } from 'chai';
import {
  apiKeys,
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
  it('get their own answers in order, up to one that is broken', async () => {
    const ids: Array<bigint> = [];
    for (let count = 0; count < 5; count += 1) ids.push((await service.add({ name: `animal ${count}` })).id);
    const targets = ids.flatMap((id) => [
      `/v1/pets/${id}`,
      '/livez',
      `/v1/pets?after=${id - 1n}&limit=1`,
      '/nothing',
    ]);
    const answers = await service.exchange(
      `${targets.map(keptAliveText).join('')}${create('Rex')}nonsense\r\n\r\n`,
      [
        ...targets.map((target) => ({ method: 'GET', target })),
        { method: 'POST', target: '/v1/pets' },
        nothing,
      ],
    );
    ids.forEach((id, index) => {
      expect(answers[index * 4]?.pet().id).to.equal(id);
      expect(answers[index * 4 + 1]?.json).to.deep.equal({ status: 'live' });
      expect(answers[index * 4 + 2]?.pets()[0]?.id).to.equal(id);
      expect(answers[index * 4 + 3]?.status).to.equal(404);
    });
    expect(answers.slice(-2).map(({ status }) => status)).to.deep.equal([201, 400]);
  });

  it('get their own answers, each under its own key', async () => {
    const wrong = keptAliveText('/v1/pets?limit=1').replace(apiKeys.first, 'wrong');
    const bytes = `${keptAliveText('/v1/pets?limit=1')}${wrong}${getText('/v1/pets?limit=1')}`;
    const answers = await service.exchange(bytes, [list, list, list]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 401, 200]);
  });

  it('are neither done nor answered behind one that closes the connection', async () => {
    for (const behind of [create('behind'), 'nonsense\r\n\r\n', `${keptAliveText('/livez')}nonsense`]) {
      expect(await service.exchange(`${getText('/livez')}${behind}`, [live])).to.have.length(1);
      expect(await service.exchange(`${keptAliveText('*')}${behind}`, [nothing])).to.have.length(1);
    }
    expect((await service.get('/v1/pets?limit=100')).text).not.to.include('behind');
  });
});
