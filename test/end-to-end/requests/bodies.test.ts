import { expect } from 'chai';
import { headOf } from '../../support/http/raw-connection';
import { authorization, describeService } from '../../support/service/service-under-test';

const rex = '{"name":"Rex","categoryId":7}';
const asked = { method: 'POST', target: '/v1/pets' };
const json = 'Content-Type: application/json';

const head = (...headers: ReadonlyArray<string>) =>
  headOf('POST /v1/pets HTTP/1.1', 'Host: localhost', 'Connection: close', authorization, ...headers);

const ofLength = (length: number) => `${rex}${' '.repeat(length - rex.length)}`;

/** Returns a create whose body comes in chunks of one byte. */
const inChunks = (body: string) =>
  `${head(json, 'Transfer-Encoding: chunked')}${body.replace(/./g, '1;ext=1\r\n$&\r\n')}0\r\nTrailer: x\r\n\r\n`;

describeService('The body of POST /v1/pets', (service) => {
  let last = 0n;

  beforeEach('add an animal', async () => {
    last = (await service.add({})).id;
  });

  const expectRefusal = async (body: string | Buffer, code: string) => {
    const answer = await service.create(body);
    expect([answer.status, answer.code], answer.text).to.deep.equal([
      code === 'payload_too_large' ? 413 : 400,
      code,
    ]);
    expect((await service.get(`/v1/pets?after=${last}`)).text).to.equal('[]\n');
    return answer;
  };

  it('may have 16,000 bytes, in chunks of one byte too, and is refused with more: 413', async () => {
    expect((await service.create(ofLength(16_000))).status).to.equal(201);
    expect((await service.exchangeOne(inChunks(ofLength(16_000)), asked)).status).to.equal(201);
    last = (await service.add({})).id;
    for (const length of [16_001, 200_000]) await expectRefusal(ofLength(length), 'payload_too_large');
    expect((await service.exchangeOne(inChunks(ofLength(16_001)), asked)).status).to.equal(413);
  });

  it('with long chunk extensions is refused: 413, with a text of its own', async () => {
    const chunks = `${head(json, 'Transfer-Encoding: chunked')}1;${'x'.repeat(20_000)}\r\n`;
    const answer = await service.exchangeOne(chunks, asked);
    expect([answer.status, answer.code]).to.deep.equal([413, 'payload_too_large']);
    expect(answer.text).to.include('chunk extensions');
  });

  it('may have any space that JSON allows, and a type in any case with its charset', async () => {
    const spaced = ' \t\r\n{ "name"\n:\t"Rex" ,\r"categoryId" : 7 }\n \t\r\n';
    expect((await service.create(spaced)).status).to.equal(201);
    for (const type of [
      'APPLICATION/JSON',
      'application/json;charset=utf-8',
      'application/json ; Charset="UTF-8"',
      'application/json; charset=utf8',
      'application/json;',
    ]) {
      expect((await service.create(rex, { headers: { 'Content-Type': type } })).status, type).to.equal(201);
    }
    expect((await service.create(rex, { headers: { 'Content-Encoding': 'identity' } })).status).to.equal(201);
  });

  it('with another type or coding is refused: 415', async () => {
    const types = ['', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', '\xff']
      .concat('application/json, text/plain', 'application/json-patch+json', 'application/vnd.api+json')
      .concat(['iso-8859-1', '', 'utf-8x', '"utf-8'].map((charset) => `application/json; charset=${charset}`))
      .map((type) => ({ 'Content-Type': type }));
    const encodings = ['gzip', 'nonsense'].map((encoding) => ({ 'Content-Encoding': encoding }));
    for (const headers of [...types, ...encodings]) {
      const answer = await service.create(rex, { headers });
      expect([answer.status, answer.code], JSON.stringify(headers)).to.deep.equal([
        415,
        'unsupported_media_type',
      ]);
    }
    expect((await service.request('POST', '/v1/pets', { body: rex })).status).to.equal(415);
  });

  for (const [status, ...headers] of [
    [415, 'Content-Type: text/plain', 'Content-Length: 50'],
    [415, json, 'Content-Encoding: br', 'Content-Length: 50'],
    [413, json, 'Content-Length: 99999999999'],
  ] as const) {
    it(`is refused before it is received: ${status} for ${headers.join(', ')}`, async () => {
      const connection = service.connect();
      connection.send(head(...headers, 'Expect: 100-continue'));
      const [answer] = await service.answersOn(connection, [asked]);
      expect(answer?.status).to.equal(status);
      expect((await connection.closed()).toString()).not.to.include('HTTP/1.1 100');
    });
  }

  it('is asked for by a 100 (Continue), but not in HTTP/1.0', async () => {
    const lines = head(json, `Content-Length: ${rex.length}`, 'Expect: 100-continue');
    const connection = service.connect();
    connection.send(lines);
    await connection.received(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    connection.send(rex);
    expect((await connection.closed()).toString()).to.match(/\r\n\r\nHTTP\/1\.1 201 /);
    const old = service.connect();
    old.send(`${lines.replace('HTTP/1.1', 'HTTP/1.0')}${rex}`);
    expect((await old.closed()).toString()).to.match(/^HTTP\/1\.1 201 /);
  });

  for (const [title, body] of Object.entries<string | Buffer>({
    'is empty': '',
    'is only space': ' \n',
    'has a second value': `${rex}${rex}`,
    'starts with a BOM': `\ufeff${rex}`,
    'has a duplicate name, once escaped': String.raw`{"name":"Rex","n\u0061me":"Rex","categoryId":7}`,
    'is UTF-16': Buffer.from(rex, 'utf16le'),
    'has nested arrays without end': '['.repeat(15_000),
  })) {
    it(`is refused where it ${title}: malformed_json`, () => expectRefusal(body, 'malformed_json'));
  }

  it('is refused as no UTF-8', async () => {
    for (const latin1 of [
      '{"name":"\xed\xa0\x80","categoryId":7}',
      '{"name":"a","categoryId":7,"x":"\xfe"}',
    ]) {
      const { message } = await expectRefusal(Buffer.from(latin1, 'latin1'), 'malformed_json');
      expect(message).to.include('UTF-8');
    }
  });

  it('is refused where its top level is no object', async () => {
    for (const body of ['null', '7', '"Rex"', `[${rex}]`]) await expectRefusal(body, 'invalid_body');
  });
});
