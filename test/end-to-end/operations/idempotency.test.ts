import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { apiKeys, describeOnEveryStore } from '../../support/service/service-under-test';

const rex = '{"name":"Rex","categoryId":7}';
const newKey = () => `"${randomUUID()}"`;

describeOnEveryStore('Idempotency-Key', (service) => {
  const createAs = (idempotencyKey: string, body = rex, key: string = apiKeys.first) =>
    service.create(body, { key, headers: { 'Idempotency-Key': idempotencyKey } });

  it('gives a retry the first answer, marked as replayed, and adds nothing', async () => {
    const key = newKey();
    const first = await createAs(key);
    expect([first.status, first.header('Idempotent-Replayed')]).to.deep.equal([201, undefined]);
    for (let retry = 0; retry < 3; retry += 1) {
      const replayed = await createAs(key);
      expect([replayed.status, replayed.text]).to.deep.equal([201, first.text]);
      expect(replayed.header('Idempotent-Replayed')).to.equal('true');
    }
    expect((await service.get(`/v1/pets?after=${first.pet().id}`)).text).to.equal('[]');
  });

  it('makes one animal of retries at the same time', async () => {
    const { id: last } = await service.add({});
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => createAs(key)));
    expect((await service.get(`/v1/pets?after=${last}`)).pets()).to.have.length(1);
    answers.forEach(({ status }) => expect(status).to.be.oneOf([201, 409]));
    const created = answers.filter(({ status }) => status === 201);
    expect(new Set(created.map(({ text }) => text)).size).to.equal(1);
    expect(created.filter((answer) => answer.header('Idempotent-Replayed') === undefined)).to.have.length(1);
    answers
      .filter(({ status }) => status === 409)
      .forEach(({ code }) => expect(code).to.equal('idempotency_key_in_flight'));
  });

  it('refuses another body under the same key: 422', async () => {
    const key = newKey();
    const first = await createAs(key, '{"name":"Rex","categoryId":7,"status":"sold"}');
    for (const body of [
      rex,
      '{"name":"Rex","categoryId":8,"status":"sold"}',
      '{"name":"rex","categoryId":7,"status":"sold"}',
    ]) {
      const answer = await createAs(key, body);
      expect([answer.status, answer.code], body).to.deep.equal([422, 'idempotency_key_reused']);
    }
    expect((await service.get(`/v1/pets?after=${first.pet().id}`)).text).to.equal('[]');
  });

  it('belongs to the caller who sent it', async () => {
    const key = newKey();
    const first = await createAs(key, rex, apiKeys.first);
    const other = await createAs(key, rex, apiKeys.second);
    expect([other.status, other.header('Idempotent-Replayed')]).to.deep.equal([201, undefined]);
    expect(other.pet().id).not.to.equal(first.pet().id);
    const mine = await createAs(key, '{"name":"Tom","categoryId":7}', apiKeys.second);
    expect(mine.status).to.equal(422);
  });

  it('is kept for no failure', async () => {
    const key = newKey();
    expect((await createAs(key, '{"name":"Rex"}')).status).to.equal(400);
    expect((await createAs(key, '{')).status).to.equal(400);
    expect((await createAs(key, rex, 'wrong')).status).to.equal(401);
    const answer = await createAs(key);
    expect([answer.status, answer.header('Idempotent-Replayed')]).to.deep.equal([201, undefined]);
  });

  it('keeps int64 and Unicode byte for byte in a replay', async () => {
    const key = newKey();
    const body = JSON.stringify({ name: '😀 "\\\u2028é' }).replace('}', ',"categoryId":9223372036854775807}');
    const first = await createAs(key, body);
    expect(first.pet().categoryId).to.equal(9223372036854775807n);
    expect((await createAs(key, body)).text).to.equal(first.text);
  });

  it('is a string in double quotes of 1 to 255 characters', async () => {
    const taken = [
      '"a"',
      `"${'x'.repeat(255 - 36)}${randomUUID()}"`,
      '"a b,c;d=~!"',
      String.raw`"a\"b\\c"`,
    ].concat([
      `"${String.raw`\"`.repeat(255 - 36)}${randomUUID()}"`,
      '"a"; x; y="b;c"; z=?0',
      'x'.repeat(255),
    ]);
    for (const key of taken) {
      const first = await createAs(key);
      expect(first.status, key).to.equal(201);
      expect((await createAs(key)).text, key).to.equal(first.text);
    }
  });

  it('tells keys apart by case and by every character', async () => {
    const id = randomUUID();
    const ids = new Set<bigint>();
    for (const key of [`"${id}x"`, `"${id}X"`, `"${id}x "`, `" ${id}x"`, `"${id}"`])
      ids.add((await createAs(key)).pet().id);
    expect(ids.size).to.equal(5);
  });

  it('is refused where it is malformed: 400', async () => {
    const malformed = ['', '""', '"a', 'a"', '"a"b', 'a b', 'a,b', '"a" "b"', '"a","b"', '"a\tb"'].concat([
      `"${'x'.repeat(256)}"`,
      String.raw`"\a"`,
      '"\\"',
      '"é"',
      '"\xff"',
      'é',
      String.raw`a\b`,
      'x'.repeat(256),

      '("a")',
      '"a" ;x',
      '"a"; X=1',
      String.raw`"a\b"`,
      `"x"${';a=:b:'.repeat(1_000)},`,
    ]);
    for (const key of malformed) {
      const answer = await createAs(key);
      expect([answer.status, answer.code], key).to.deep.equal([400, 'invalid_idempotency_key']);
    }
  });

  it('is the same key with and without quotes', async () => {
    const bare = `8e03978e-${randomUUID()}`;
    const first = await createAs(bare);
    const retry = await createAs(`"${bare}"`);
    expect([first.status, retry.status]).to.deep.equal([201, 201]);
    expect([first.header('Idempotent-Replayed'), retry.header('Idempotent-Replayed')]).to.deep.equal([
      undefined,
      'true',
    ]);
    expect(retry.pet().id).to.equal(first.pet().id);
  });

  it('is the same key with parameters of RFC 8941, which mean nothing', async () => {
    const key = `"${randomUUID()}"`;
    const first = await createAs(key);
    const retry = await createAs(`${key};x=1; y="z"`);
    expect([retry.status, retry.header('Idempotent-Replayed')]).to.deep.equal([201, 'true']);
    expect(retry.pet().id).to.equal(first.pet().id);
  });

  it('may be bare: any visible ASCII without quotes, commas and backslashes', async () => {
    for (const key of ["'a'", ':YQ==:', '7', '?1', `${randomUUID()}/!#$%&()*+-.:;<=>?@[]^_{|}~`]) {
      expect((await createAs(key)).status, key).to.equal(201);
    }
  });

  it('is refused where it stands twice: 400', async () => {
    for (const [first, second] of [
      ['"a-first"', '"a-second"'],
      ['a-first', 'a-second'],
    ] as const) {
      const headers = { 'Idempotency-Key': first, 'idempotency-key': second };
      expect((await service.create(rex, { headers })).status).to.equal(400);
    }
  });

  it('means nothing to other operations', async () => {
    const headers = { 'Idempotency-Key': 'malformed' };
    expect((await service.get('/v1/pets', { headers })).status).to.equal(200);
    expect((await service.get('/v1/pets/0', { headers })).status).to.equal(404);
  });
});
