import { expect } from 'chai';
import { headOf } from '../../support/http/raw-connection';
import { authorization, describeService } from '../../support/service/service-under-test';

const rex = '{"name":"Rex","categoryId":7}';
const asked = { method: 'POST', target: '/v1/pets' };
const json = 'Content-Type: application/json';

const head = (...headers: ReadonlyArray<string>) =>
  headOf('POST /v1/pets HTTP/1.1', 'Host: localhost', 'Connection: close', authorization, ...headers);

const ofLength = (length: number) => `${rex}${' '.repeat(length - rex.length)}`;

describeService('The body of POST /v1/pets', (service) => {
  it('may have 16,000 bytes, and is refused with more: 413', async () => {
    const { id } = (await service.create(ofLength(16_000))).pet();
    for (const length of [16_001, 200_000]) {
      const answer = await service.create(ofLength(length));
      expect([answer.status, answer.code], String(length)).to.deep.equal([413, 'payload_too_large']);
    }
    expect((await service.get(`/v1/pets?after=${id}`)).text).to.equal('[]');
  });

  it('with long chunk extensions is refused: 413, with a text of its own', async () => {
    const chunks = `${head(json, 'Transfer-Encoding: chunked')}1;${'x'.repeat(20_000)}\r\n`;
    const answer = await service.exchangeOne(chunks, asked);
    expect([answer.status, answer.code]).to.deep.equal([413, 'payload_too_large']);
    expect(answer.text).to.include('chunk extensions');
  });

  it('in small chunks with extensions and a trailer is taken', async () => {
    const chunks = `${rex.replace(/./g, '1;ext=1\r\n$&\r\n')}0\r\nTrailer: x\r\n\r\n`;
    const answer = await service.exchangeOne(`${head(json, 'Transfer-Encoding: chunked')}${chunks}`, asked);
    expect(answer.status, answer.text).to.equal(201);
  });

  for (const headers of [
    { 'Content-Type': 'APPLICATION/JSON' },
    { 'Content-Type': 'application/json;charset=utf-8' },
    { 'Content-Type': 'application/json ; Charset="UTF-8"' },
  ]) {
    it(`is taken with ${JSON.stringify(headers)}`, async () => {
      expect((await service.create(rex, { headers })).status).to.equal(201);
    });
  }

  for (const headers of [
    ...['', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'application/*', '\xff']
      .concat('application/json, text/plain', 'application/json-patch+json', 'application/vnd.api+json')
      .concat(['iso-8859-1', '', 'utf-8x', '"utf-8'].map((charset) => `application/json; charset=${charset}`))
      .map((type) => ({ 'Content-Type': type })),
    ...['gzip', 'br', 'identity', 'nonsense'].map((encoding) => ({
      'Content-Encoding': encoding,
    })),
  ]) {
    it(`is refused with ${JSON.stringify(headers)}: 415`, async () => {
      const answer = await service.create(rex, { headers });
      expect([answer.status, answer.code]).to.deep.equal([415, 'unsupported_media_type']);
    });
  }

  it('without a type is refused: 415', async () => {
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

  it('in HTTP/1.0 is told nothing before it has come', async () => {
    const connection = service.connect();
    const lines = head(json, `Content-Length: ${rex.length}`, 'Expect: 100-continue');
    connection.send(`${lines.replace('HTTP/1.1', 'HTTP/1.0')}${rex}`);
    expect((await connection.closed()).toString()).to.match(/^HTTP\/1\.1 201 /);
  });
});
