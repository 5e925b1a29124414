import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  describeOnEveryStore,
  describeService,
  type ServiceUnderTest,
} from '../../support/service/service-under-test';

const rex = '{"name":"Rex","categoryId":7}';

const createAs = (service: ServiceUnderTest, idempotencyKey: string) =>
  service.create(rex, { headers: { 'Idempotency-Key': idempotencyKey } });

describeOnEveryStore('Idempotency-Key', (service) => {
  it('gives a retry the first answer, marked as replayed, and adds nothing', async () => {
    const key = `"${randomUUID()}"`;
    const first = await createAs(service, key);
    expect([first.status, first.header('Idempotent-Replayed')]).to.deep.equal([201, undefined]);
    for (let retry = 0; retry < 3; retry += 1) {
      const replayed = await createAs(service, key);
      expect([replayed.status, replayed.text]).to.deep.equal([201, first.text]);
      expect(replayed.header('Idempotent-Replayed')).to.equal('true');
    }
    expect((await service.get(`/v1/pets?after=${first.pet().id}`)).text).to.equal('[]\n');
  });
});

describeService('The text of an Idempotency-Key', (service) => {
  it('is one key however it is written, and another with any other letter', async () => {
    const id = randomUUID();
    const long = `${'x'.repeat(255 - 36)}${id}`;
    for (const [first, ...others] of [
      [id, `"${id}"`, ` "${id}"  `],
      [`"${id}x"`],
      [`"${id}X"`],
      [`"${id}x "`],
      [`"a, b;c\\"d\\\\e, ${id}"`],
      [`"${'\\"'.repeat(255 - 36)}${id}"`],
      [long, `"${long}"`],
      [`${id}/!#$%&()*+-.:;<=>?@[]^_{|}~'`],
    ] as const) {
      const created = await createAs(service, first);
      expect([created.status, created.header('Idempotent-Replayed')], first).to.deep.equal([201, undefined]);
      for (const other of others) {
        expect((await createAs(service, other)).text, other).to.equal(created.text);
      }
    }
  });

  it('is refused where it is malformed: 400', async () => {
    for (const key of [
      ...['', '""', '"a', 'a"', '"a"b', 'a b', 'a,b', '"a","b"', '"a\tb"', '"\\a"', '"\\"', '"é"', 'é'],
      ...['a\\b', `"${'x'.repeat(256)}"`, 'x'.repeat(256), '("a")', '"a"; x=1'],
    ]) {
      const answer = await createAs(service, key);
      expect([answer.status, answer.code], key).to.deep.equal([400, 'invalid_idempotency_key']);
    }
  });

  it('is refused where it stands twice: 400', async () => {
    for (const [first, second] of [
      ['"a-first"', '"a-second"'],
      ['a-first', 'a-second'],
    ] as const) {
      const headers = { 'Idempotency-Key': first, 'idempotency-key': second };
      expect((await service.create(rex, { headers })).code, first).to.equal('invalid_idempotency_key');
    }
  });
});
