import { expect } from 'chai';
import type { RejectionRecord, RequestRecord } from '../../../adapters/http';
import { key, silentReporter, startServer } from '../../support/http/start-server';
import { connectTo, exchangeBytes, getRequest, headOf } from '../../support/http/raw-connection';

describe('The record of a request', () => {
  it('has the status and code of a rejection before the application', async () => {
    const rejected: Array<RejectionRecord> = [];
    const server = await startServer({
      reporter: { ...silentReporter, requestRejected: (record) => rejected.push(record) },
    });
    await exchangeBytes(server.address, 'no HTTP\r\n\r\n');
    await server.stop(0);
    expect(rejected.map(({ status, code }) => [status, code])).to.deep.equal([[400, 'malformed_request']]);
  });

  it('has the response of the server to a request that the application does not answer', async () => {
    const ended: Array<RequestRecord> = [];
    const server = await startServer({
      checkReadiness: () => new Promise(() => undefined),
      reporter: { ...silentReporter, requestEnded: (record) => ended.push(record) },
    });
    const headers = [
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      'Expect: 100-continue',
    ];
    const chunked = headOf('POST /v1/pets HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', ...headers);
    const connection = connectTo(server.address);
    connection.send(chunked);
    // The 100 (Continue) shows that the application reads the body.
    await connection.received(/ 100 /);
    connection.send('5\r\nhello\r\nzzz\r\n');
    await connection.closed();
    await exchangeBytes(server.address, getRequest('/readyz'));
    await server.stop(0);
    expect(ended.map(({ path, status, code }) => [path, status, code])).to.deep.equal([
      ['/v1/pets', 400, 'malformed_request'],
      ['/readyz', 503, 'unavailable'],
    ]);
  });
});

describe('A connection without a request', () => {
  it('is closed without a 408, which a client could take for the response to its first request', async () => {
    const rejected: Array<RejectionRecord> = [];
    const server = await startServer({
      reporter: { ...silentReporter, requestRejected: (record) => rejected.push(record) },
    });
    const received = await connectTo(server.address).closed();
    await server.stop(0);
    expect([received.toString(), rejected]).to.deep.equal(['', []]);
  });
});
