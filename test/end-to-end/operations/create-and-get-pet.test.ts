import { expect } from 'chai';
import { describeOnEveryStore } from '../../support/service/service-under-test';

describeOnEveryStore('POST /v1/pets and GET /v1/pets/{petId}', (service) => {
  it('adds an animal under an id of its own, and gives it back', async () => {
    const first = await service.add({ name: 'Rex', categoryId: 7, status: 'sold' });
    const second = await service.add({ name: 'Rex', categoryId: 7, status: 'sold' });
    expect(second).to.deep.equal({ ...first, id: second.id });
    expect(second.id > first.id).to.equal(true);
    const answer = await service.get(`/v1/pets/${first.id}`);
    expect(answer.status).to.equal(200);
    expect(answer.pet()).to.deep.equal({ id: first.id, name: 'Rex', categoryId: 7n, status: 'sold' });
  });

  it('takes every status, and gives an animal without one no status field', async () => {
    for (const status of ['available', 'pending', 'sold']) {
      expect(await service.add({ status })).to.have.property('status', status);
    }
    const { id } = await service.add({});
    expect((await service.get(`/v1/pets/${id}`)).pet()).to.have.all.keys('id', 'name', 'categoryId');
  });

  it('ignores fields that NewPet has not, id among them', async () => {
    const { id: last } = await service.add({});
    const pet = await service.add({
      id: 1,
      colour: 'red',
      Name: 3,
      status_: null,
      constructor: 1,
      toString: 'x',
    });
    expect(pet).to.deep.equal({ id: pet.id, name: 'Rex', categoryId: 7n });
    expect(pet.id > last).to.equal(true);
  });

  it('ignores whatever JSON such a field holds', async () => {
    const values = [
      '7.5',
      '1e400',
      '-1e-400',
      '12345678901234567890',
      '1e99999999999',
      'null',
      'true',
      '"\\u0000"',
    ].concat([
      '"\\ud800"',
      '""',
      '[]',
      '{}',
      '[[7.5,{"a":{"name":0,"a":[null]}}]]',
      '{"":1," ":2,"__proto__":3}',
    ]);
    for (const value of values) {
      const answer = await service.create(`{"x":${value},"name":"Rex","categoryId":7,"":${value}}`);
      expect(answer.status, `${value}: ${answer.text}`).to.equal(201);
    }
  });

  it('refuses a status that is none, null too', async () => {
    for (const status of [null, '', 'Sold', 'unknown', 1, true, ['sold'], {}]) {
      const answer = await service.create(JSON.stringify({ name: 'Rex', categoryId: 7, status }));
      expect([answer.status, answer.code], answer.text).to.deep.equal([400, 'invalid_body']);
      expect(answer.message).to.include('status');
    }
  });

  it('names every missing or bad field, and stores nothing', async () => {
    const { id: last } = await service.add({});
    const bodies: ReadonlyArray<readonly [json: string, ...fields: ReadonlyArray<string>]> = [
      ['{}', 'name', 'categoryId'],
      ['{"name":"Rex"}', 'categoryId'],
      ['{"categoryId":7}', 'name'],
      ['{"name":null,"categoryId":7}', 'name'],
      ['{"name":7,"categoryId":"7","status":"lost"}', 'name', 'categoryId', 'status'],
      ['{"name":["Rex"],"categoryId":7}', 'name'],
    ];
    for (const [json, ...fields] of bodies) {
      const answer = await service.create(json);
      expect([answer.status, answer.code], json).to.deep.equal([400, 'invalid_body']);
      fields.forEach((field) => expect(answer.message).to.include(field));
    }
    expect((await service.get(`/v1/pets?after=${last}`)).text).to.equal('[]');
  });

  describe('a petId', () => {
    const none = [
      'abc',
      '1.0',
      '1e0',
      '+1',
      '-',
      '--1',
      '0x1',
      '1%20',
      '%201',
      '1,2',
      '%D9%A1',
      '%00',
      '1%00',
      'null',
    ];
    const strange = [
      '%2e',
      '%2F',
      '1%2F',
      '%',
      '%zz',
      '%ff',
      '%c0%af',
      "1'--",
      '1;2',
      '9'.repeat(3000),
      '__proto__',
    ];
    const noAnimal = ['0', '-1', '9223372036854775807', '-9223372036854775808', '9007199254740993'];
    const outside = ['9223372036854775808', '-9223372036854775809', '18446744073709551617'];
    [...none, ...strange, ...noAnimal, ...outside].forEach((petId) => {
      it(`that is ${petId.slice(0, 40)} is the id of no animal: 404`, async () => {
        await service.add({});
        const answer = await service.get(`/v1/pets/${petId}`);
        expect([answer.status, answer.code]).to.deep.equal([404, 'pet_not_found']);
      });
    });

    it('finds its animal whatever the query says', async () => {
      const { id } = await service.add({});
      expect((await service.get(`/v1/pets/${id}?limit=0&status=lost&%`)).pet().id).to.equal(id);
    });
  });

  it('marks every answer of getPet as deprecated: 200, 404 and 401, to HEAD too', async () => {
    const { id } = await service.add({});
    const answers = [
      await service.get(`/v1/pets/${id}`),
      await service.get('/v1/pets/0'),
      await service.get('/v1/pets/abc'),
      await service.get(`/v1/pets/${id}`, { key: null }),
      await service.get(`/v1/pets/${id}`, { key: 'wrong' }),
      await service.request('HEAD', `/v1/pets/${id}`),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 404, 404, 401, 401, 200]);
    answers.forEach((answer) => {
      expect(answer.header('Deprecation')).to.equal('@1795046400');
      expect(answer.header('Sunset')).to.equal('Thu, 05 Dec 2030 00:00:00 GMT');
      expect(answer.header('Link')).to.match(/^<\.\.\/pets>; rel="successor-version"$/);
    });
  });

  it('marks a getPet that is refused for its head, before its route is asked', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await service.request(method, '/v1/pets/1', { headers: { Expect: 'more' } });
      expect(answer.status).to.equal(417);
      expect(answer.header('Deprecation')).to.equal('@1795046400');
    }
  });

  it('marks nothing else as deprecated', async () => {
    for (const answer of [await service.get('/v1/pets'), await service.create('{}')]) {
      expect(answer.header('Deprecation')).to.equal(undefined);
      expect(answer.header('Sunset')).to.equal(undefined);
    }
  });
});
