import { expect } from 'chai';
import { apiKeys, describeService } from '../../support/service/service-under-test';

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

describeService('The body of POST /v1/pets', (service) => {
  const expectNothingAdded = async (before: bigint) => {
    expect((await service.get(`/v1/pets?after=${before}`)).text).to.equal('[]');
  };

  describe('of a size', () => {
    it('of 60,000 bytes is taken', async () => {
      expect((await service.create(ofLength(60_000))).status).to.equal(201);
    });

    it('with a name of more than 65,536 bytes is refused: 400', async () => {
      const answer = await service.create(ofLength(90_000));
      expect([answer.status, answer.code]).to.deep.equal([400, 'invalid_body']);
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

    it('in chunks with long extensions is refused: 413, with a text of its own', async () => {
      const chunks = `${head('Content-Type: application/json', 'Transfer-Encoding: chunked')}1;${'x'.repeat(20_000)}\r\n`;
      const answer = await service.exchangeOne(chunks, asked);
      expect([answer.status, answer.code]).to.deep.equal([413, 'payload_too_large']);
      expect(answer.text).to.include('chunk extensions');
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
      'application/json; version=1; note="a; b"',
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
      [
        'application/json; charset=',
        'application/json; charset=utf-8x',
        '*/*',
        'application/json; charset="utf-8',
        'application/*',
        '\xff',
      ],
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

    it('that is given twice is refused: 400', async () => {
      const types = 'Content-Type: application/json\r\nContent-Type: text/plain';
      const answer = await service.exchangeOne(
        `${head(types, `Content-Length: ${rex.length}`)}${rex}`,
        asked,
      );
      expect([answer.status, answer.code]).to.deep.equal([400, 'malformed_request']);
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

  it('in HTTP/1.0 is told nothing before it has come', async () => {
    const connection = service.connect();
    const lines = head(
      'Content-Type: application/json',
      `Content-Length: ${rex.length}`,
      'Expect: 100-continue',
    );
    connection.send(`${lines.replace('HTTP/1.1', 'HTTP/1.0')}${rex}`);
    await connection.received(/"name":"Rex"/);
    expect((await connection.closed()).toString()).to.match(/^HTTP\/1\.1 201 /);
  });

  it('that stops halfway adds nothing, and the service goes on', async () => {
    const { id } = await service.add({});
    const connection = service.connect();
    connection.send(`${head('Content-Type: application/json', 'Content-Length: 50')}${rex}`);
    connection.destroy();
    await expectNothingAdded(id);
  });
});
