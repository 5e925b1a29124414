import { expect } from 'chai';
import { describeOnEveryStore } from '../support/describe-on-every-store';
import { apiKeys } from '../support/service-under-test';

const rex = '{"name":"Rex","categoryId":7}';
const asked = { method: 'POST', target: '/v1/pets' };

const head = (...headers: ReadonlyArray<string>) =>
  ['POST /v1/pets HTTP/1.1', 'Host: localhost', 'Connection: close', `Authorization: Bearer ${apiKeys.first}`]
    .concat(headers, '', '')
    .join('\r\n');

const ofLength = (length: number) => {
  const [before, after] = ['{"categoryId":7,"name":"', '"}'];
  return `${before}${'x'.repeat(length - before.length - after.length)}${after}`;
};

describeOnEveryStore('The body of POST /v1/pets', (service) => {
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
    'has NaN': '{"name":"Rex","categoryId":NaN}',
    'has exotic space': `{"name":"Rex",\u00a0"categoryId":7}`,
    'has a vertical tab': `{"name":"Rex",\v"categoryId":7}`,
    'is invalid UTF-8': Buffer.from('{"name":"\xff","categoryId":7}', 'latin1'),
    'has an overlong form': Buffer.from('{"name":"\xc0\xaf","categoryId":7}', 'latin1'),
    'has a surrogate in UTF-8': Buffer.from('{"name":"\xed\xa0\x80","categoryId":7}', 'latin1'),
    'has cut-off UTF-8': Buffer.from('{"name":"\xe2\x82","categoryId":7}', 'latin1'),
    'has invalid UTF-8 in an ignored field': Buffer.from('{"name":"a","categoryId":7,"x":"\xfe"}', 'latin1'),
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

  describe('of a size', () => {
    it('of 90,000 bytes is taken', async () => {
      expect((await service.create(ofLength(90_000))).status).to.equal(201);
    });

    it('over 100 kB is refused: 413', async () => {
      const { id } = await service.add({});
      for (const length of [102_401, 200_000]) {
        const answer = await service.create(ofLength(length));
        expect([answer.status, answer.code], String(length)).to.deep.equal([413, 'payload_too_large']);
      }
      await expectNothingAdded(id);
    });

    it('over 100 kB is refused before it comes, where its length is announced', async () => {
      const connection = service.connect();
      connection.send(
        head('Content-Type: application/json', 'Content-Length: 99999999999', 'Expect: 100-continue'),
      );
      await connection.received(/\r\n\r\n/);
      const [answer] = await service.answersOn(connection, [asked]);
      expect(answer?.code).to.equal('payload_too_large');
    });

    it('over 100 kB is refused in chunks without an end: 413', async () => {
      const connection = service.connect();
      connection.send(head('Content-Type: application/json', 'Transfer-Encoding: chunked'));
      connection.send(`493e0\r\n${'x'.repeat(300_000)}\r\n`);
      const [answer] = await service.answersOn(connection, [asked]);
      expect([answer?.status, answer?.code]).to.deep.equal([413, 'payload_too_large']);
    });

    it('in small chunks is taken', async () => {
      const chunks = rex.replace(/./g, '1;ext=1\r\n$&\r\n');
      const answer = await service.exchangeOne(
        `${head('Content-Type: application/json', 'Transfer-Encoding: chunked')}${chunks}0\r\nTrailer: x\r\n\r\n`,
        asked,
      );
      expect(answer.status, answer.text).to.equal(201);
    });
  });

  describe('of a type', () => {
    const taken = ['application/json', 'APPLICATION/JSON', 'Application/Json; Charset=UTF-8'].concat([
      'application/json;charset=utf-8',
      'application/json ; charset="utf-8"',
      'application/json; charset=Utf-8',
    ]);
    taken.forEach((type) => {
      it(`${type} is taken`, async () => {
        expect((await service.create(rex, { headers: { 'Content-Type': type } })).status).to.equal(201);
      });
    });

    const refused = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'text/json',
      '',
    ].concat(
      [
        'application/json, text/plain',
        'application/json; charset=iso-8859-1',
        'application/json; charset=utf-16',
      ],
      [
        'application/json-patch+json',
        'application/vnd.api+json',
        'application',
        'json',
        'multipart/form-data',
      ],
      ['application/json; charset=', 'application/json; charset=utf-8x', '*/*', 'application/*', '\xff'],
    );
    refused.forEach((type) => {
      it(`${JSON.stringify(type)} is refused: 415`, async () => {
        const answer = await service.create(rex, { headers: { 'Content-Type': type } });
        expect([answer.status, answer.code]).to.deep.equal([415, 'unsupported_media_type']);
      });
    });

    it('that is not given is refused: 415', async () => {
      const answer = await service.request('POST', '/v1/pets', { body: rex });
      expect([answer.status, answer.code]).to.deep.equal([415, 'unsupported_media_type']);
    });

    it('is refused before the body is read', async () => {
      for (const header of [
        'Content-Type: text/plain',
        'Content-Type: application/json\r\nContent-Encoding: br',
      ]) {
        const connection = service.connect();
        connection.send(head(header, 'Content-Length: 50', 'Expect: 100-continue'));
        const [answer] = await service.answersOn(connection, [asked]);
        expect(answer?.status).to.equal(415);
        expect((await connection.closed()).toString()).not.to.include('HTTP/1.1 100');
      }
    });
  });

  describe('with a Content-Encoding', () => {
    [
      'gzip',
      'br',
      'deflate',
      'zstd',
      'compress',
      'x-gzip',
      'gzip, identity',
      'identity, gzip',
      'nonsense',
    ].forEach((encoding) => {
      it(`of ${encoding} is refused: 415`, async () => {
        const answer = await service.create(rex, { headers: { 'Content-Encoding': encoding } });
        expect([answer.status, answer.code]).to.deep.equal([415, 'unsupported_media_type']);
      });
    });

    it('of identity, in any case, is taken', async () => {
      for (const encoding of ['identity', 'Identity']) {
        const answer = await service.create(rex, { headers: { 'Content-Encoding': encoding } });
        expect(answer.status).to.equal(201);
      }
    });
  });

  it('is waited for with 100 Continue where the client expects that', async () => {
    const connection = service.connect();
    connection.send(
      head('Content-Type: application/json', `Content-Length: ${rex.length}`, 'Expect: 100-Continue'),
    );
    await connection.received(/^HTTP\/1\.1 100 Continue\r\n/);
    connection.send(rex);
    const [answer] = await service.answersOn(connection, [asked]);
    expect(answer?.status).to.equal(201);
  });

  it('that stops halfway adds nothing, and the service goes on', async () => {
    const { id } = await service.add({});
    const connection = service.connect();
    connection.send(`${head('Content-Type: application/json', 'Content-Length: 50')}${rex}`);
    connection.destroy();
    await expectNothingAdded(id);
  });
});
