import { expect } from 'chai';
import { describeService } from '../../support/service/service-under-test';

const rex = '{"name":"Rex","categoryId":7}';

describeService('The JSON of POST /v1/pets', (service) => {
  const malformed: Readonly<Record<string, string | Buffer>> = {
    'is empty': '',
    'is only space': ' \n',
    'has a second value': `${rex}${rex}`,
    'starts with a BOM': `\ufeff${rex}`,
    'has a duplicate name, once escaped': String.raw`{"name":"Rex","n\u0061me":"Rex","categoryId":7}`,
    'is UTF-16': Buffer.from(rex, 'utf16le'),
    'has nested arrays without end': '['.repeat(15_000),
  };
  Object.entries(malformed).forEach(([title, body]) => {
    it(`is refused where it ${title}: malformed_json`, async () => {
      const { id } = await service.add({});
      const answer = await service.create(body);
      expect([answer.status, answer.code], answer.text).to.deep.equal([400, 'malformed_json']);
      expect((await service.get(`/v1/pets?after=${id}`)).text).to.equal('[]');
    });
  });

  for (const [title, latin1] of Object.entries({
    'has a surrogate in UTF-8': '{"name":"\xed\xa0\x80","categoryId":7}',
    'has invalid UTF-8 in an ignored field': '{"name":"a","categoryId":7,"x":"\xfe"}',
  })) {
    it(`is refused as no UTF-8 where it ${title}`, async () => {
      const answer = await service.create(Buffer.from(latin1, 'latin1'));
      expect([answer.status, answer.code]).to.deep.equal([400, 'malformed_json']);
      expect(answer.message).to.include('UTF-8');
    });
  }

  it('is refused where its top level is no object', async () => {
    for (const body of ['null', '7', '"Rex"', `[${rex}]`]) {
      expect((await service.create(body)).code, body).to.equal('invalid_body');
    }
  });

  it('may have any space that JSON allows', async () => {
    const answer = await service.create(' \t\r\n{ "name"\n:\t"Rex" ,\r"categoryId" : 7 }\n \t\r\n');
    expect(answer.status).to.equal(201);
  });
});
