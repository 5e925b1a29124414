import { expect } from 'chai';
import { describeService } from '../../support/service/service-under-test';

const rex = '{"name":"Rex","categoryId":7}';

describeService('The JSON of POST /v1/pets', (service) => {
  const expectNothingAdded = async (before: bigint) => {
    expect((await service.get(`/v1/pets?after=${before}`)).text).to.equal('[]');
  };

  const malformed: Readonly<Record<string, string | Buffer>> = {
    'is empty': '',
    'is only space': ' \n',
    'is cut off': '{"name":"Rex","categoryId":7',
    'has trailing text': `${rex} x`,
    'has a second value': `${rex}${rex}`,
    'has a NUL after it': `${rex}\0`,
    'starts with a BOM': `\ufeff${rex}`,
    'has a duplicate name': '{"name":"Rex","name":"Tom","categoryId":7}',
    'has a duplicate name with equal values': '{"name":"Rex","categoryId":7,"categoryId":7}',
    'has a duplicate name with equal objects': '{"name":"Rex","categoryId":7,"x":{},"x":{}}',
    'has a duplicate name, once escaped': String.raw`{"name":"Rex","n\u0061me":"Rex","categoryId":7}`,
    'has a duplicate of an ignored name': '{"name":"Rex","categoryId":7,"colour":1,"colour":2}',
    'has a duplicate name deep in an ignored field': '{"name":"Rex","categoryId":7,"x":[{"a":1,"a":1}]}',
    'has a duplicate __proto__': '{"name":"Rex","categoryId":7,"__proto__":1,"__proto__":1}',
    'has a trailing comma': '{"name":"Rex","categoryId":7,}',
    'has single quotes': `{'name':'Rex','categoryId':7}`,
    'has a comment': `{/* a */"name":"Rex","categoryId":7}`,
    'has a bare name': '{name:"Rex","categoryId":7}',
    'has a bare control character in a string': '{"name":"R\nex","categoryId":7}',
    'has an unknown escape': String.raw`{"name":"\x41","categoryId":7}`,
    'has half an escape': String.raw`{"name":"\u12","categoryId":7}`,
    'has a number with a leading zero': '{"name":"Rex","categoryId":07}',
    'has a number with a plus': '{"name":"Rex","categoryId":+7}',
    'has a number that ends in a point': '{"name":"Rex","categoryId":7.}',
    'has a number that starts with a point': '{"name":"Rex","categoryId":.7}',
    'has a number with half an exponent': '{"name":"Rex","categoryId":7e}',
    'has a hexadecimal number': '{"name":"Rex","categoryId":0x7}',
    'has a number with two minus signs': '{"name":"Rex","categoryId":--7}',
    'has a minus sign for a number': '{"name":"Rex","categoryId":-}',
    'has a number with a letter behind it': '{"name":"Rex","categoryId":7n}',
    'has a number with an underscore': '{"name":"Rex","categoryId":1_000}',
    'has a digit of another script': '{"name":"Rex","categoryId":٧}',
    'has Infinity': '{"name":"Rex","categoryId":Infinity}',
    'has NaN': '{"name":"Rex","categoryId":NaN}',
    'has exotic space': `{"name":"Rex",\u00a0"categoryId":7}`,
    'has a vertical tab': `{"name":"Rex",\v"categoryId":7}`,
    'is UTF-16': Buffer.from(rex, 'utf16le'),
    'has nested arrays without end': '['.repeat(50_000),
  };
  Object.entries(malformed).forEach(([title, body]) => {
    it(`is refused where it ${title}: malformed_json`, async () => {
      const { id } = await service.add({});
      const answer = await service.create(body);
      expect([answer.status, answer.code], answer.text).to.deep.equal([400, 'malformed_json']);
      await expectNothingAdded(id);
    });
  });

  const notUtf8: Readonly<Record<string, Buffer>> = {
    'has a byte that UTF-8 never has': Buffer.from('{"name":"\xff","categoryId":7}', 'latin1'),
    'has an overlong form': Buffer.from('{"name":"\xc0\xaf","categoryId":7}', 'latin1'),
    'has a surrogate in UTF-8': Buffer.from('{"name":"\xed\xa0\x80","categoryId":7}', 'latin1'),
    'has a lone continuation byte': Buffer.from('{"name":"\x80","categoryId":7}', 'latin1'),
    'has a number past U+10FFFF': Buffer.from('{"name":"\xf4\x90\x80\x80","categoryId":7}', 'latin1'),
    'has cut-off UTF-8': Buffer.from('{"name":"\xe2\x82","categoryId":7}', 'latin1'),
    'has invalid UTF-8 in an ignored field': Buffer.from('{"name":"a","categoryId":7,"x":"\xfe"}', 'latin1'),
  };
  Object.entries(notUtf8).forEach(([title, body]) => {
    it(`is refused as no UTF-8 where it ${title}`, async () => {
      const answer = await service.create(body);
      expect([answer.status, answer.code]).to.deep.equal([400, 'malformed_json']);
      expect(answer.message).to.include('UTF-8');
    });
  });

  it('is refused where its top level is no object', async () => {
    for (const body of ['null', 'true', '7', '"Rex"', '[]', `[${rex}]`, '9223372036854775808']) {
      const answer = await service.create(body);
      expect(answer.status, body).to.equal(400);
      expect(answer.code, body).to.be.oneOf(['invalid_body', 'malformed_json']);
    }
  });

  it('is refused, or its deep nesting ignored, but never a 5xx', async () => {
    for (const depth of [100, 1_000, 10_000, 49_000]) {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '1}'],
      ] as const) {
        const deep = `${open.repeat(depth)}${close.repeat(depth)}`.replace(
          /(1\})+$/,
          `1${'}'.repeat(depth)}`,
        );
        const body = `{"name":"Rex","categoryId":7,"x":${deep}}`;
        if (body.length > 100_000) continue;
        expect((await service.create(body)).status, `${depth} times ${open}`).to.be.oneOf([201, 400]);
      }
    }
  });

  it('reaches no prototype', async () => {
    const proto = '{"status":"sold","name":"Rex","categoryId":7,"polluted":"yes"}';
    const inherited = await service.create(`{"__proto__":${proto},"constructor":{"prototype":${proto}}}`);
    expect([inherited.status, inherited.code]).to.deep.equal([400, 'invalid_body']);
    const beside = await service.create(`{"name":"Rex","categoryId":7,"__proto__":${proto}}`);
    expect(beside.status).to.equal(201);
    expect(beside.pet()).not.to.have.property('status');
    expect(await service.add({})).not.to.have.property('status');
    expect((await service.get('/livez')).text).not.to.include('polluted');
  });

  it('may have any space that JSON allows', async () => {
    const answer = await service.create(' \t\r\n{ "name"\n:\t"Rex" ,\r"categoryId" : 7 }\n \t\r\n');
    expect(answer.status).to.equal(201);
  });
});
