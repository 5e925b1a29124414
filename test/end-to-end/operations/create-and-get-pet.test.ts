import { expect } from 'chai';
import { describeService } from '../../support/service/service-under-test';

describeService('POST /v1/pets', (service) => {
  it('ignores fields that NewPet has not, id among them', async () => {
    const { id: last } = await service.add({});
    const pet = await service.add({ id: 1, Name: 3, status_: null, constructor: 1, toString: 'x' });
    expect(pet).to.deep.equal({ id: pet.id, name: 'Rex', categoryId: 7n });
    expect(pet.id > last).to.equal(true);
  });

  it('has its unknown fields named in the response, also when it is replayed', async () => {
    const body = '{"name":"Rex","categoryId":7,"staus":"sold","a\\"b":1,"id":1}';
    for (const replayed of [undefined, 'true']) {
      const { status, header } = await service.create(body, { headers: { 'Idempotency-Key': 'unknown' } });
      expect(status).to.equal(201);
      expect(header('Unknown-Fields')).to.equal('"staus", "id"');
      expect(header('Idempotent-Replayed')).to.equal(replayed);
    }
    expect((await service.create('{"name":"Rex","categoryId":7}')).header('Unknown-Fields')).to.equal(
      undefined,
    );
  });

  it('names every missing or bad field, and stores nothing', async () => {
    const { id: last } = await service.add({});
    const bodies: ReadonlyArray<readonly [json: string, ...fields: ReadonlyArray<string>]> = [
      ['{}', 'name', 'categoryId'],
      ['{"name":"a\\u0000b","categoryId":7}', 'name'],
      ['{"name":"\\ude00\\ud83d","categoryId":7}', 'name'],
      ['{"name":7,"categoryId":"7","status":null}', 'name', 'categoryId', 'status'],
      [`{"name":"${'🐕'.repeat(1_001)}","categoryId":7}`, 'name'],
      ...['9223372036854775808', '9223372036854775807.1', '1e999999999', '-1e99999999999999999999']
        .concat(['1'.repeat(5_000), '{"isLosslessNumber":true,"value":"1"}'])
        .map((categoryId) => [`{"name":"Rex","categoryId":${categoryId}}`, 'categoryId'] as const),
    ];
    for (const [json, ...fields] of bodies) {
      const answer = await service.create(json);
      expect([answer.status, answer.code], json).to.deep.equal([400, 'invalid_body']);
      fields.forEach((field) => expect(answer.message).to.include(field));
    }
    expect((await service.get(`/v1/pets?after=${last}`)).text).to.equal('[]\n');
  });
});

describeService('GET /v1/pets/{petId}', (service) => {
  for (const petId of [
    ...['abc', '1.0', '+1', '-', '1%20', '%D9%A1', '%00', '1%00', '%2e', '%2F', '1%2F', '%', '%zz', '%ff'],
    ...["1'--", '1;2', '9'.repeat(3_000), '__proto__'],
    ...['0', '-1', '9223372036854775807', '9223372036854775808', '18446744073709551617'],
  ]) {
    it(`finds no animal with the id ${petId.slice(0, 40)}: 404`, async () => {
      await service.add({});
      const answer = await service.get(`/v1/pets/${petId}`);
      expect([answer.status, answer.code]).to.deep.equal([404, 'pet_not_found']);
    });
  }

  it('finds its animal whatever the query says', async () => {
    const { id } = await service.add({});
    expect((await service.get(`/v1/pets/${id}?limit=0&status=lost&%`)).pet().id).to.equal(id);
  });
});
