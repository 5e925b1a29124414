import { expect } from 'chai';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type BodyError, readBody } from '../../../adapters/http-server/request-functions';
import { eventually } from '../../support/eventually';
import {
  type PlainServer,
  startPlainServer,
  statusesIn,
  stopPlainServers,
} from '../../support/http/plain-server';
import { headOf, postRequest } from '../../support/http/raw-connection';

const boundMs = 20_000;

const errorTypeOf = (error: BodyError): string => error.type;

const head = headOf('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', 'Connection: close');

describe('readBody', () => {
  let server: PlainServer;
  before(async () => {
    server = await startPlainServer(async (request, response) => {
      response.end(String(await readBody(request, 100_000).catch(errorTypeOf)));
    });
  });
  after(stopPlainServers);

  it('reads a body in packets of one byte, and copies it', async () => {
    const connection = server.connect();
    const body = Array.from({ length: 500 }, (_, place) => place % 10).join('');
    connection.send(postRequest('/', body, 'Connection: close').slice(0, -body.length));
    for (const byte of body) {
      connection.send(byte);
      await new Promise(setImmediate);
    }
    expect((await connection.closed()).toString()).to.match(new RegExp(`\r\n\r\n${body}$`));
  });

  it('sends 100 (Continue) once the body is read', async () => {
    const connection = server.connect();
    const request = postRequest('/', 'hello', 'Expect: 100-continue', 'Connection: close');
    connection.send(request.slice(0, -5));
    await connection.received(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    connection.send('hello');
    expect(statusesIn(await connection.closed())).to.deep.equal([100, 200]);
  });

  it('rejects a longer body, by its length at once, and in chunks once it is longer', async () => {
    const announced = postRequest('/', '', 'Expect: 100-continue').replace('Length: 0', 'Length: 100001');
    const chunks = `${(60_000).toString(16)}\r\n${'x'.repeat(60_000)}\r\n`.repeat(2);
    for (const request of [
      announced,
      headOf('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked') + chunks,
    ]) {
      const received = (await server.exchange(request)).toString();
      expect(received).to.match(/^HTTP\/1\.1 200 [^]*entity\.too\.large$/);
    }
  });

  it('ends when the client leaves', async () => {
    let isReading = false;
    let error = '';
    const { connect } = await startPlainServer(async (request) => {
      isReading = true;
      error = String(await readBody(request, 100_000).catch(errorTypeOf));
    });
    const connection = connect();
    connection.send(postRequest('/', 'hello').slice(0, -2));
    await eventually('the body is being read', boundMs, () => isReading);
    connection.reset();
    await eventually('it has ended', boundMs, () => error === 'request.aborted');
  });
});

const inChunks = (body: string): string => `${body.replace(/[^]/g, '1\r\n$&\r\n')}0\r\n\r\n`;

const readers: Readonly<Record<string, (request: IncomingMessage) => Promise<string | Buffer>>> = {
  readBody: (request) => readBody(request, 100_000),
  'the request as a stream': (request) => text(request),
};

describe('A body in chunks of one byte', () => {
  for (const [reader, listener] of Object.entries(readers)) {
    describe(`that is read with ${reader}`, () => {
      let server: PlainServer;
      before(async () => {
        server = await startPlainServer(async (request, response) => {
          response.end(await listener(request));
        });
      });
      after(stopPlainServers);

      it('arrives whole in up to 1,024 chunks', async () => {
        const body = Array.from({ length: 1_024 }, (_, place) => place % 10).join('');
        const received = (await server.exchange(head + inChunks(body))).toString();
        expect(received).to.match(new RegExp(`^HTTP/1\\.1 200 [^]*\r\n\r\n${body}$`));
      });

      for (const length of [2_048, 50_000]) {
        it(`is rejected as malformed with ${length} bytes`, async () => {
          const received = (await server.exchange(head + inChunks('x'.repeat(length)))).toString();
          expect(received).to.match(/^HTTP\/1\.1 400 [^]*MalformedRequest/);
        });
      }
    });
  }
});
