import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import type { IncomingMessage } from 'node:http';
import { readBody } from '../../../adapters/http/handlers/create-pet';
import { eventually } from '../../support/eventually';
import {
  type PlainServer,
  startPlainServer,
  statusesIn,
  stopPlainServers,
} from '../../support/http/plain-server';
import { headOf, postRequest } from '../../support/http/raw-connection';

const boundMs = 20_000;

const bodyOrFailure = async (request: IncomingMessage): Promise<string> => {
  const body = await readBody(request);
  return E.isRight(body) ? body.right.toString() : body.left._tag;
};

const chunked = headOf('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', 'Connection: close');

const inChunks = (body: string): string => `${body.replace(/[^]/g, '1\r\n$&\r\n')}0\r\n\r\n`;

describe('readBody', () => {
  let server: PlainServer;
  before(async () => {
    server = await startPlainServer(async (request, response) => {
      response.end(await bodyOrFailure(request));
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

  it('reads a body of 16,000 bytes in chunks of one byte', async () => {
    const body = Array.from({ length: 16_000 }, (_, place) => place % 10).join('');
    const received = (await server.exchange(chunked + inChunks(body))).toString();
    expect(received).to.match(/^HTTP\/1\.1 200 /);
    expect(received.endsWith(body)).to.equal(true);
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
    const announced = postRequest('/', '', 'Expect: 100-continue').replace('Length: 0', 'Length: 16001');
    for (const request of [announced, chunked + inChunks('x'.repeat(16_001))]) {
      const received = (await server.exchange(request)).toString();
      expect(received).to.match(/^HTTP\/1\.1 200 [^]*PayloadTooLarge$/);
    }
  });

  it('ends when the client leaves', async () => {
    let isReading = false;
    let failure = '';
    const { connect } = await startPlainServer(async (request) => {
      isReading = true;
      failure = await bodyOrFailure(request);
    });
    const connection = connect();
    connection.send(postRequest('/', 'hello').slice(0, -2));
    await eventually('the body is being read', boundMs, () => isReading);
    connection.reset();
    await eventually('it has ended', boundMs, () => failure === 'MalformedRequest');
  });
});
